/** What a turn came to, gathered from its events. */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Goal } from "#agent/words/goal.ts"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"

export interface Denial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: JsonObject
}

export interface Tally {
  /** An answer that was cut off and requested again counts once. */
  readonly requests: number
  readonly usage: Usage
  readonly apiMs: number
  readonly text: string
  readonly messageId: string
  readonly stopReason: string | null
  readonly denials: readonly Denial[]
  /** Denials that only lacked someone to say yes. */
  readonly unanswered: number
  /** Calls that a hook denied: whoever wrote the hook knows of them. */
  readonly byHooks?: readonly string[]
  readonly startedAt: number
  /** From the start of the turn to the first sign of an answer. */
  readonly ttftMs?: number
  readonly end: (End & { readonly at: number }) | undefined
  /** What it had to work until, as it stands. */
  readonly goal?: Goal
  /** The call that a hook deferred: the run ends, and its question waits. */
  readonly deferred?: DeferredCall
}

export interface DeferredCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export const noTally: Tally = {
  requests: 0,
  usage: noUsage,
  apiMs: 0,
  text: "",
  messageId: "",
  stopReason: null,
  denials: [],
  unanswered: 0,
  startedAt: 0,
  end: undefined,
}

/** A turn and the one that went on with it, as one. */
export const joinTallies = (before: Tally, after: Tally): Tally => ({
  ...after,
  ...optional("ttftMs", before.ttftMs),
  requests: before.requests + after.requests,
  usage: addUsage(before.usage, after.usage),
  apiMs: before.apiMs + after.apiMs,
  denials: [...before.denials, ...after.denials],
  unanswered: before.unanswered + after.unanswered,
  byHooks: [...(before.byHooks ?? []), ...(after.byHooks ?? [])],
  startedAt: before.startedAt,
})

export function foldTally(tally: Tally, event: Event, { now }: Pick<Clock, "now">): Tally {
  if (event.type === "child") return withDenials(tally, event.event)
  if (event.type === "model_delta" && event.delta.type === "message_start" && tally.ttftMs === undefined)
    return { ...tally, ttftMs: Math.max(0, now() - tally.startedAt) }
  if (event.type === "question_open" && event.question.ask.kind === "permission" && event.question.ask.deferred) {
    const { callId: id, tool: name, input } = event.question.ask
    return { ...tally, deferred: { id, name, input }, end: { reason: "completed", at: now() } }
  }
  if (event.type !== "entry") return tally
  const { entry } = event
  switch (entry.kind) {
    case "turn_start":
      return { ...noTally, ...optional("goal", tally.goal), startedAt: entry.at }
    case "goal":
      return { ...tally, goal: entry }
    case "reply": {
      const same = entry.messageId === tally.messageId
      const before = same ? tally.text : ""
      if (entry.block.type !== "text") return { ...tally, messageId: entry.messageId, text: before }
      return { ...tally, messageId: entry.messageId, text: before + entry.block.text }
    }
    case "command":
      return entry.isError ? tally : { ...tally, text: entry.text }
    case "orphan":
      return entry.messageId === tally.messageId ? { ...tally, text: "", messageId: "" } : tally
    case "reply_end":
      return {
        ...tally,
        requests: tally.requests + (entry.cut === "orphaned" ? 0 : 1),
        usage: addUsage(tally.usage, entry.usage),
        apiMs: tally.apiMs + entry.durationMs,
        // A client knows the provider's words, not ours for an answer that did not end by itself.
        stopReason: entry.stopReason,
      }
    case "decision":
    case "result":
      return withDenials(tally, event)
    case "turn_end": {
      const { reason, message, cause, status, output, at } = entry
      return {
        ...tally,
        // The answer is the data, whatever was said besides.
        ...(output !== undefined && { text: JSON.stringify(output) }),
        end: {
          reason,
          at,
          ...(message !== undefined && { message }),
          ...(cause !== undefined && { cause }),
          ...(output !== undefined && { output }),
          ...(status !== undefined && { status }),
        },
      }
    }
    default:
      return tally
  }
}

/** Includes the agents that were started. */
function withDenials(tally: Tally, event: Event): Tally {
  if (event.type === "child") return withDenials(tally, event.event)
  if (event.type !== "entry") return tally
  const { entry } = event
  if (entry.kind === "decision" && isUnanswered(entry)) return { ...tally, unanswered: tally.unanswered + 1 }
  if (entry.kind === "decision" && entry.behavior === "deny" && entry.reason.kind === "hook")
    return { ...tally, byHooks: [...(tally.byHooks ?? []), entry.callId] }
  if (entry.kind !== "result" || !entry.denied) return tally
  const denial: Denial = { tool_name: entry.tool, tool_use_id: entry.callId, tool_input: entry.denied.input }
  return { ...tally, denials: [...tally.denials, denial] }
}

function isUnanswered({ behavior, reason }: Entry & { kind: "decision" }): boolean {
  if (behavior !== "deny") return false
  return reason.kind === "no_one_to_ask" || (reason.kind === "mode" && reason.mode === "dontAsk")
}
