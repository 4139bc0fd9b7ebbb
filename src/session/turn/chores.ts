/** What the user asks for between turns: rewind, review, clear, compact, or run a command. */

import type { Entry, EntryBody, FilesRestored, HeadWhy } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Goal } from "#agent/words/goal.ts"
import type { Op } from "#agent/words/op.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { LogFailure } from "#ground/transcript/log.ts"
import { sayProcess } from "#ground/workspace/processes/process-groups.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { CompactOptions } from "#kits/compaction/kit.ts"
import type { Checkpoints, Reviewed } from "#kits/checkpoints/checkpoints.ts"
import { reportProgress } from "#kits/tools/bash-progress.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { never } from "#lib/never.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Past } from "#session/journal/past.ts"
import { allTokens } from "#agent/words/model.ts"
import { ownTool } from "#session/journal/left-open.ts"

export type Chore = (signal: AbortSignal) => Promise<Result<void, string>>

export interface Chores {
  readonly rewind: (op: RewindOp, signal: AbortSignal) => ReturnType<Chore>
  readonly review: (op: ReviewOp, signal: AbortSignal) => ReturnType<Chore>
  readonly redo: Chore
  readonly switch: (to: string | null) => ReturnType<Chore>
  readonly clear: Chore
  /** Clears the conversation at once, but keeps its plan for the next one. */
  readonly forget: () => void
  readonly compact: (wish: CompactOptions, signal: AbortSignal) => ReturnType<Chore>
  readonly uncompact: Chore
  readonly setStyle: (style: string) => ReturnType<Chore>
  /** `promptId` if it was queued: once its intent is recorded it no longer waits. */
  readonly shell: (command: string, signal: AbortSignal, promptId?: string) => ReturnType<Chore>
}

export type ChoreOp = Op & { readonly type: (typeof choreTypes)[number] }

const choreTypes = [
  "rewind",
  "review",
  "redo",
  "switch",
  "clear",
  "compact",
  "uncompact",
  "set_style",
  "shell",
] as const

export const isChoreOp = (op: Op): op is ChoreOp => choreTypes.some((type) => type === op.type)

export function workOf(op: ChoreOp, chores: Chores): Chore {
  switch (op.type) {
    case "rewind":
      return (signal) => chores.rewind(op, signal)
    case "review":
      return (signal) => chores.review(op, signal)
    case "switch":
      return () => chores.switch(op.to)
    case "compact":
      return (signal) => chores.compact(op, signal)
    case "shell":
      return (signal) => chores.shell(op.command, signal)
    case "set_style":
      return () => chores.setStyle(op.style)
    case "redo":
    case "clear":
    case "uncompact":
      return chores[op.type]
    default:
      return never(op)
  }
}

type Head = Entry & { readonly kind: "head" }
type ReviewOp = Op & { readonly type: "review" }
type RewindOp = Op & { readonly type: "rewind" }

export type Undo = Pick<Checkpoints, "rewindFiles" | "redoFiles" | "carryOutReview" | "gaps">

export interface ChoreParts {
  readonly record: (body: EntryBody) => void
  readonly sync: () => Promise<Result<void, LogFailure>>
  readonly past: Past
  readonly todos: () => readonly Todo[]
  readonly goal: () => Goal | undefined
  readonly undo: Undo
  readonly compact: (wish: CompactOptions, signal: AbortSignal) => Promise<Result<void, string>>
  readonly forgottenPlan: () => EntryBody | undefined
  readonly setStyle: ((name: string) => ReturnType<Chore>) | undefined
  readonly workspace: Workspace
  readonly cwd: () => string
  readonly isAllowedFolder: (path: string) => boolean
  readonly limits: { readonly maxTimeoutMs: number; readonly outputCharacters: number }
  readonly ids: Ids
  readonly clock: Clock
  readonly publish: (moment: Moment) => void
}

export function openChores(parts: ChoreParts): Chores {
  const { record, past, undo, workspace, ids } = parts
  const goTo = (
    to: string | null,
    why: HeadWhy,
    files?: FilesRestored,
    more: Partial<Pick<Head, "before" | "forced" | "prompt" | "gaps">> = {},
  ): void => {
    const before = { todos: parts.todos(), goal: parts.goal() }
    const context = optional("contextTokens", contextAt(past.pathTo(to)))
    record({ kind: "head", to, why, ...optional("files", files), ...more, ...context })
    recordMoved(before, parts)
  }

  return {
    async rewind({ promptId, what, force = false }, signal) {
      const path = await past.path("prompt", ...opening)
      const before = placeBefore(path, promptId)
      if (!before.ok) return before
      const log = what === "conversation" ? [] : await past.history()
      const restored = what === "conversation" ? undefined : await undo.rewindFiles({ log, promptId, force, signal })
      if (restored && !restored.ok) return restored
      // If only the files are restored, the conversation stays where it is; the restore is recorded all the same.
      const to = what === "files" ? await past.tip() : before.value
      const isForced = force && restored?.value !== undefined
      const gaps = what === "conversation" ? [] : undo.gaps(log, promptId)
      goTo(to, "rewind", restored?.value, {
        ...(what === "files" && { before: promptId }),
        ...(isForced && { forced: true }),
        ...(gaps.length > 0 && { gaps }),
        ...optional("prompt", textOf(path, promptId)),
      })
      return done
    },
    review: (op, signal) => review(op, signal, parts),
    async redo(signal) {
      const last = lastMove(await past.ofKinds("head"))
      if (!last) return failed("There is no rewind to undo.")
      const files = last.files && (await undo.redoFiles({ log: await past.history(), files: last.files, signal }))
      if (files && !files.ok) return files
      // If only the files were restored, the conversation since then stays.
      const isFilesOnly = last.before !== undefined
      goTo(isFilesOnly ? await past.tip() : last.parentUuid, "redo", files?.value, optional("before", last.before))
      return done
    },
    async switch(to) {
      const branch = (await past.branches()).find(({ tip }) => tip === to)
      if (!branch && past.pathTo(to).length === 0) return failed("There is no such branch of this conversation.")
      if (!branch?.isCurrent) goTo(to, "switch")
      return done
    },
    forget: () => goTo(null, "clear"),
    async clear() {
      goTo(null, "clear")
      const forgotten = parts.forgottenPlan()
      if (forgotten) record(forgotten)
      return done
    },
    compact: parts.compact,
    setStyle: parts.setStyle ?? (async () => failed("There are no output styles here.")),
    async uncompact() {
      const last = (await past.path("compaction")).at(-1)
      if (!last) return failed("There is no compaction to undo.")
      goTo(last.parentUuid, "uncompact")
      return done
    },
    async shell(command, signal, promptId) {
      // Typing the command is the decision to run it; its possible changes to files are recorded first all the same.
      const callId = `own-${ids.uuid()}`
      record({ kind: "intent", callId, tool: ownTool, title: command, files: [], ...optional("within", promptId) })
      const synced = await parts.sync()
      if (!synced.ok) return failed(`The command was not run: the session cannot be saved (${synced.failure.message}).`)
      const { outputCharacters: characters, maxTimeoutMs: timeoutMs } = parts.limits
      const limits = { characters }
      const report = reportProgress(parts.clock, (progress) =>
        parts.publish({ type: "tool_progress", callId, progress }),
      )
      const cwd = parts.cwd()
      const wanted = { command, cwd, signal, limits, timeoutMs, onOutput: report.add }
      const ran = await workspace.shell.run(wanted).finally(report.stop)
      if (!ran.ok) return failed(`The command was not run. ${sayProcess(ran.failure)}`)
      if (ran.value.kind === "moved") return done
      const { output, exitCode, end } = ran.value
      const folder = ran.value.cwd
      const hasMoved = folder !== undefined && folder !== cwd
      const isAllowed = hasMoved && parts.isAllowedFolder(folder)
      const where = !hasMoved ? [] : [isAllowed ? nowIn(folder) : stillIn(cwd, folder)]
      const printed = [...(output.text === "" ? [] : [output.text.trimEnd()]), ...where].join("\n")
      record({
        kind: "shell",
        command,
        output: hasMoved ? printed : output.text,
        exitCode: end === "exited" ? exitCode : null,
      })
      // The user and the model share one shell, so the next command of either starts there.
      if (isAllowed) record({ kind: "cwd", path: folder })
      return done
    },
  }
}

const leftWords = ({ hunk: { path, lines }, why }: NonNullable<Reviewed["left"]>[number]): string =>
  `${path}${lines ? ` line ${lines.from}` : ""} (${why})`

async function review(
  { act, hunks, scope, opId }: ReviewOp,
  signal: AbortSignal,
  { undo, past, record }: Pick<ChoreParts, "undo" | "past" | "record">,
): ReturnType<Chore> {
  const reviewed = await undo.carryOutReview({ log: await past.history(), scope, act, hunks, signal })
  if (!reviewed.ok) return reviewed
  record({ kind: "review", act, ...optional("opId", opId), ...reviewed.value })
  const left = (reviewed.value.left ?? []).map(leftWords)
  if (left.length > 0)
    record({
      kind: "notice",
      level: "warning",
      text: `Not ${act === "undo" ? "undone" : "restored"}: ${left.join(", ")}.`,
    })
  return done
}

const nowIn = (folder: string): string => `Working folder: ${folder}`

const stillIn = (cwd: string, folder: string): string =>
  `Working folder: still ${cwd}. ${folder} is outside the folders of this session; add it with --add-dir.`

const done: Result<void, never> = ok(undefined)

/** Entries that begin a turn, just before its prompt. */
const opening = ["turn_start", "hook", "snapshot"] as const

function textOf(path: readonly Entry[], promptId: string): string | undefined {
  const prompt = path.find((entry) => entry.kind === "prompt" && entry.promptId === promptId)
  return prompt?.kind === "prompt" ? saidText(prompt) : undefined
}

/** How full the context was at the end of a path; undefined where no request tells. */
function contextAt(path: readonly Entry[]): number | undefined {
  const last = path.findLast(({ kind }) => kind === "reply_end" || kind === "compaction")
  return last?.kind === "reply_end" ? allTokens(last.usage) : undefined
}

/** The entry after which the conversation continues when rewound to before a prompt. */
function placeBefore(path: readonly Entry[], promptId: string): Result<string | null, string> {
  const at = path.findIndex((entry) => entry.kind === "prompt" && entry.promptId === promptId)
  if (at < 0) return failed("That prompt is not part of this conversation any more. Nothing was changed.")
  let first = at
  while (first > 0 && opensTurn(path[first - 1], path[first])) first--
  return ok(path[first]?.parentUuid ?? null)
}

function opensTurn(entry: Entry | undefined, next: Entry | undefined): boolean {
  if (entry === undefined || next?.parentUuid !== entry.uuid) return false
  return opening.some((kind) => kind === entry.kind) && (entry.kind !== "snapshot" || entry.when === "prompt")
}

/** What a redo reverts: the last move still in effect. If there is none, the last redo itself, so that what it left behind stays reachable. */
function lastMove(entries: readonly Entry[]): Head | undefined {
  const heads = entries.filter((entry): entry is Head => entry.kind === "head")
  const standing: Head[] = []
  let undone: Head[] = []
  for (const head of heads) {
    if (head.why !== "redo") {
      standing.push(head)
      undone = []
      continue
    }
    const [from, to] = standing.length > 0 ? [standing, undone] : [undone, standing]
    to.push(...from.splice(-1))
  }
  return standing.at(-1) ?? heads.at(-1)
}

/** The task list and the goal belong to the conversation; watchers learn of them through entries, as always. */
function recordMoved(
  before: { readonly todos: ReturnType<ChoreParts["todos"]>; readonly goal: ReturnType<ChoreParts["goal"]> },
  { todos, goal, record }: ChoreParts,
): void {
  const [after, goalNow] = [todos(), goal()]
  if (JSON.stringify(before.todos) !== JSON.stringify(after)) record({ kind: "todo", todos: after })
  if (before.goal && goalNow?.since !== before.goal.since)
    record({ kind: "goal", ...(goalNow ?? { ...before.goal, state: "cleared" }) })
}
