/** The current state as a few entries, so that reading from a compaction on is as good as reading everything. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { byKind, type Follower, onEntryOfAll, unless } from "#agent/words/follower.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { PlanFile } from "#kits/compaction/restore.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { ownTool } from "./left-open.ts"

export interface Standing extends Follower {
  readonly todos: () => readonly Todo[]
  readonly plan: () => PlanFile | undefined
  readonly bodies: (state: SessionState) => readonly EntryBody[]
}

/** Only the last of these counts; grants and queued prompts all count. */
const lastHolds: readonly string[] = [
  "begun",
  // After what it was opened with, which it changes.
  "gates",
  "mode",
  "model",
  "thinking",
  "budget",
  "cwd",
  "title",
  "plan",
  "todo",
  "snapshot",
  "team",
  "turn",
  // After the turn, whose start may reset it.
  "gate clarify",
  "gate testFirst",
]
/** These belong to the conversation, not to the session. */
const ofConversation: readonly string[] = ["plan", "todo", "gate clarify", "gate testFirst"]

const mostChildren = 50

export function openStanding(): Standing {
  const last = new Map<string, EntryBody>()
  const grants = new Map<string, EntryBody>()
  const folders = new Set<string>()
  const waiting = new Map<string, EntryBody>()
  const children = new Map<string, EntryBody>()
  /** Questions of background agents may stay open across a compaction. */
  const questions = new Map<string, EntryBody>()
  /** Modes before one that is left again, oldest first. */
  let modesBefore: readonly (EntryBody & { readonly kind: "mode" })[] = []

  /** The modes to return to, stated before the mode itself. */
  const returning = (): readonly EntryBody[] => {
    const mode = last.get("mode")
    return mode?.kind === "mode" && isPassing(mode) ? modesBefore.filter((before) => before.mode !== mode.mode) : []
  }

  function fold(body: EntryBody): void {
    const slot = sessionSlot(body.kind)
    // One without an id only says that nothing was kept.
    if (body.kind === "snapshot" && body.snapshotId === "") return
    if (slot !== undefined) last.set(slot, body.kind === "snapshot" ? plainSnapshot(body) : body)
    if (body.kind === "mode")
      modesBefore = isPassing(body) ? [...modesBefore.filter(({ mode }) => mode !== body.mode), body] : [body]
    if (body.kind === "grant") {
      const key = `${body.destination} ${body.behavior ?? "allow"} ${body.rule}`
      if (body.gone) grants.delete(key)
      else grants.set(key, body)
    }
    if (body.kind === "folders") {
      for (const folder of body.added) folders.add(folder)
      for (const folder of body.removed ?? []) folders.delete(folder)
    }
    if (body.kind === "queued") waiting.set(body.promptId, body)
    if (body.kind === "prompt" || body.kind === "command" || body.kind === "unsent") waiting.delete(body.promptId)
    if (body.kind === "withdrawn") for (const { promptId } of body.prompts) waiting.delete(promptId)
    if (body.kind === "intent" && body.tool === ownTool && body.within !== undefined) waiting.delete(body.within)
    if (body.kind === "question") questions.set(body.question.id, body)
    if (body.kind === "answer") questions.delete(body.questionId)
    if (body.kind === "child") {
      // Only the last entry per agent counts; with very many agents the oldest are dropped.
      children.delete(body.agentId)
      children.set(body.agentId, body)
      if (children.size > mostChildren) children.delete([...children.keys()][0] ?? "")
    }
    if (body.kind === "compaction") body.standing.forEach(fold)
  }

  /** What is in the log of a team's mail need not come again. */
  function moveMail({ mailTo, type, approve }: JsonObject): void {
    const team = last.get("team")
    if (typeof mailTo !== "number" || team?.kind !== "team") return
    const { plans, ...rest } = team
    const isApproved = type === "plan_approval_response" && approve === true
    last.set("team", { ...rest, mailTo, ...optional("plans", isApproved ? undefined : plans) })
  }

  return {
    onEntry: onEntryOfAll(
      byKind({ attachment: ({ data }) => void (data && moveMail(data)) }),
      unless(passing, (entry) => fold(bodyOf(entry))),
    ),
    conversation: {
      reset: () => ofConversation.forEach((slot) => last.delete(slot)),
      onEntry: unless(passing, (entry) => {
        const bodies = entry.kind === "compaction" ? entry.standing : isOfConversation(entry) ? [bodyOf(entry)] : []
        for (const body of bodies) if (isOfConversation(body)) last.set(slotOf(body), body)
      }),
    },
    todos() {
      const todo = last.get("todo")
      return todo?.kind === "todo" ? todo.todos : []
    },
    plan() {
      const plan = last.get("plan")
      if (plan?.kind !== "plan" || plan.change === "forgotten") return undefined
      return { path: plan.path, isApproved: plan.change === "approved" }
    },
    bodies: ({ spending, turns, agents }) => [
      ...returning(),
      ...lastHolds.flatMap((slot) => last.get(slot) ?? []),
      ...grants.values(),
      ...(folders.size > 0 ? [{ kind: "folders", added: [...folders] } as const] : []),
      ...waiting.values(),
      ...children.values(),
      ...questions.values(),
      // After the turn start, which would otherwise be counted twice.
      {
        kind: "spent",
        turns,
        models: Object.entries(spending).map(([model, { usage, costUsd }]) => ({ model, usage, costUsd })),
        agents,
      },
    ],
  }
}

const isPassing = ({ mode }: { readonly mode: PermissionMode }): boolean => mode === "plan" || mode === "delegate"

const isOfConversation = (body: EntryBody): boolean => ofConversation.includes(slotOf(body))

const slotOf = (body: EntryBody): string => (body.kind === "gate" ? `gate ${body.gate}` : body.kind)

function sessionSlot(kind: EntryBody["kind"]): string | undefined {
  if (kind === "turn_start" || kind === "turn_end") return "turn"
  return lastHolds.includes(kind) && !ofConversation.includes(kind) ? kind : undefined
}

/** Most entries by far, and never part of what stands. */
const passing: ReadonlySet<EntryBody["kind"]> = new Set([
  "request",
  "reply",
  "reply_end",
  "decision",
  "result",
  "attachment",
])

/** Only which snapshot it is: the call it was taken around has ended. */
const plainSnapshot = ({ snapshotId, uncovered }: EntryBody & { kind: "snapshot" }): EntryBody => ({
  kind: "snapshot",
  snapshotId,
  when: "after",
  uncovered,
})

const bodyOf = ({ uuid: _uuid, parentUuid: _parent, at: _at, ...body }: Entry): EntryBody => body
