/** What the user did in a session, in order, read from its log: the input of a replay. */

import type { Entry } from "#agent/words/entry.ts"
import type { Op } from "#agent/words/op.ts"
import type { Answer } from "#agent/words/question.ts"
import { pathTo } from "#ground/transcript/path.ts"
import { optional } from "#lib/optional.ts"

export interface UserAct {
  readonly op: Op
  readonly at: number
}

/** When a call was interrupted: before it ran, or this long after and with this much output. */
export type Interruption =
  | { readonly when: "before" }
  | {
      readonly when: "running"
      /** Since its intent was recorded, or since it started for a call without one. */
      readonly afterMs: number
      readonly since: "intent" | "start"
      readonly printed: number
    }

export interface Acts {
  /** Between turns, in order. */
  readonly ops: readonly UserAct[]
  /** What was said while the model worked, by the number of the request it came with. */
  readonly steering: ReadonlyMap<number, readonly Op[]>
  readonly interrupts: ReadonlySet<number>
  readonly interruptedCalls: ReadonlyMap<string, Interruption>
  readonly answers: readonly Answer[]
}

export function actsIn(entries: readonly Entry[]): Acts {
  const ops: UserAct[] = []
  const steering = new Map<number, Op[]>()
  const interrupts = new Set<number>()
  const interruptedCalls = new Map<string, Interruption>()
  const intents = new Map<string, number>()
  const answers = new Map<string, Answer | undefined>()
  let cutCall: (Entry & { kind: "result" }) | undefined
  let request = -1
  // An approved plan may restart the conversation: that and its first prompt are the program's doing.
  let fresh: "no" | "clear" | "prompt" = "no"
  // A summary may take more than one request.
  let summarizes = false
  let begun = false
  let inTurn = false
  let opened = false
  const put = (op: Op, at: number): void => {
    if (inTurn && request >= 0) steering.set(request, [...(steering.get(request) ?? []), op])
    else ops.push({ op, at })
  }

  for (const entry of entries.filter(isNotAhead)) {
    const { at } = entry
    switch (entry.kind) {
      case "notice":
        summarizes = false
        break
      case "turn_start":
        summarizes = false
        inTurn = true
        opened = false
        cutCall = undefined
        break
      case "turn_end":
        inTurn = false
        if (entry.reason === "aborted" && cutCall)
          interruptedCalls.set(cutCall.callId, interruptionOf(cutCall, intents.get(cutCall.callId)))
        break
      case "request":
        if (entry.summary) {
          // Between turns only the user starts a summary; later entries tell whether it succeeded.
          if (!inTurn && !summarizes)
            ops.push({
              op: { type: "compact", ...optional("instructions", entry.summary.instructions || undefined) },
              at,
            })
          summarizes = true
          break
        }
        request++
        cutCall = undefined
        break
      case "intent":
        intents.set(entry.callId, at)
        break
      case "result":
        if (isCut(entry)) cutCall ??= entry
        break
      case "reply_end":
        if (entry.cut === "aborted") interrupts.add(request)
        break
      case "prompt": {
        if (fresh === "prompt") {
          fresh = "no"
          opened = true
          break
        }
        const op: Op = {
          type: "prompt",
          content: entry.content,
          promptId: entry.promptId,
          when: opened ? "steer" : "queue",
          ...optional("command", entry.command),
          ...optional("origin", entry.origin),
        }
        if (opened) put(op, at)
        else ops.push({ op, at })
        opened = true
        break
      }
      case "mode":
        // The mode at the start, or set by a plan's approval, is not the user's doing.
        if (begun && !inTurn) ops.push({ op: { type: "set_mode", mode: entry.mode }, at })
        begun = true
        break
      case "gates":
      case "model":
      case "thinking":
      case "budget":
      case "todo":
      case "review":
      case "feedback":
        for (const op of choiceOps(entry, inTurn)) put(op, at)
        break
      case "shell":
        ops.push({ op: { type: "shell", command: entry.command }, at })
        break
      case "head": {
        const op = headOp(entry, entries)
        if (fresh === "clear" && entry.why === "clear") fresh = "prompt"
        else if (op) ops.push({ op, at })
        break
      }
      case "compaction":
        summarizes = false
        if (entry.trigger === "manual") compacted(ops, entry)
        break
      case "question":
        answers.set(entry.question.id, undefined)
        break
      case "answer":
        answers.set(entry.questionId, entry.answer)
        if (entry.answer.kind === "approve" && entry.answer.fresh === true) fresh = "clear"
        break
      default:
        break
    }
  }
  const said = [...answers.values()].flatMap((answer) => answer ?? [])
  return { ops, steering, interrupts, interruptedCalls, answers: said }
}

/** Summaries are made ahead by the program itself. */
const isNotAhead = (entry: Entry): boolean => entry.kind !== "request" || entry.summary?.ahead !== true

type ChoiceEntry = Entry & { kind: "gates" | "model" | "thinking" | "budget" | "todo" | "review" | "feedback" }

/** What the user chose; empty for a fallback model. */
function choiceOps(entry: ChoiceEntry, inTurn: boolean): readonly Op[] {
  if (entry.kind === "gates") {
    const now = entry.gate && entry.switched[entry.gate]
    return entry.gate && now ? [{ type: "set_gate", gate: entry.gate, ...now }] : []
  }
  if (entry.kind === "todo") return entry.by === "person" ? [{ type: "set_todos", todos: entry.todos }] : []
  if (entry.kind === "review")
    return [{ type: "review", act: entry.act, hunks: entry.hunks.map(({ id }) => id), scope: "session" }]
  if (entry.kind === "feedback") return [{ type: "feedback", rating: entry.rating, ...optional("text", entry.text) }]
  if (entry.kind === "thinking") return [{ type: "set_thinking", to: entry.thinking }]
  if (entry.kind === "model") return entry.why === "chosen" ? [{ type: "set_model", model: entry.model }] : []
  // A budget raised by an answer is raised again by replaying the answer.
  return inTurn ? [] : [{ type: "set_budget", budget: entry.budget }]
}

/** The op was already recorded; only the compaction says what it was about. */
function compacted(ops: UserAct[], { at, upTo, from }: Entry & { kind: "compaction" }): void {
  const asked = ops.at(-1)?.op
  const op: Op = {
    ...(asked?.type === "compact" ? asked : { type: "compact" }),
    ...optional("upTo", upTo),
    ...optional("from", from),
  }
  ops.splice(asked?.type === "compact" ? -1 : ops.length, 1, { op, at })
}

/** Whether a call was running when the user interrupted. */
const isCut = ({ isError, interrupted, data }: Entry & { kind: "result" }): boolean =>
  // A command says so in its own fields, even in logs of older versions.
  interrupted !== undefined || (isError && data?.interrupted === true)

function interruptionOf(
  { at, durationMs, interrupted, data }: Entry & { kind: "result" },
  intent: number | undefined,
): Interruption {
  if (intent !== undefined && interrupted === "before") return { when: "before" }
  const printed = typeof data?.stdout === "string" ? Buffer.byteLength(data.stdout) : 0
  return intent === undefined
    ? { when: "running", afterMs: durationMs, since: "start", printed }
    : { when: "running", afterMs: at - intent, since: "intent", printed }
}

function headOp(
  { why, to, files, before, forced, parentUuid }: Entry & { kind: "head" },
  entries: readonly Entry[],
): Op | undefined {
  switch (why) {
    case "clear":
    case "redo":
    case "uncompact":
      return { type: why }
    case "rewind": {
      const force = forced && { force: true }
      if (before !== undefined) return { type: "rewind", promptId: before, what: "files", ...force }
      // On the path that was left: other branches may begin at the same place.
      const path = parentUuid === null ? [] : (pathTo(entries, parentUuid) ?? [])
      const from = path.findIndex(({ uuid }) => uuid === to) + 1
      const prompt = path.slice(from).find((entry) => entry.kind === "prompt")
      if (prompt?.kind !== "prompt") return undefined
      return { type: "rewind", promptId: prompt.promptId, what: files ? "both" : "conversation", ...force }
    }
    case "switch":
      return { type: "switch", to }
  }
}
