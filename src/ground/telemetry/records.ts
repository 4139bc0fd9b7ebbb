/** Entries as log records: what happened, in the words of the table of events. */

import type { Entry } from "#agent/words/entry.ts"
import type { Retry } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import type { EntryKind } from "#agent/words/follower.ts"
import type { JsonObject } from "#lib/json.ts"
import { type EventKind, eventKinds, type EventName } from "./names.ts"
import { bounded, type EntryOf, promptText, resultError } from "./span-attributes.ts"
import type { Attributes, Contents, LogRecord } from "./span.ts"

/** An event before it knows where in the trace it happened. */
export interface TracedEvent {
  readonly name: EventName
  readonly fields: Attributes
  readonly severity?: LogRecord["severity"]
}

export interface EventContext {
  readonly contents: Contents
  /** The input of a call that was made in this process. */
  readonly inputOf: (callId: string) => JsonObject | undefined
  /** When a question was asked. */
  readonly askedAt: (questionId: string) => { readonly at: number; readonly kind: string } | undefined
}

/** As Claude Code says it: accepted or rejected, and what decided. */
export function decisionWords({ behavior, reason }: EntryOf<"decision">): {
  readonly decision: "accept" | "reject"
  readonly source: string
} {
  const isAllowed = behavior === "allow"
  const byUser = isAllowed ? "user_temporary" : "user_reject"
  const source = reason.kind === "person" ? byUser : reason.kind === "hook" ? "hook" : "config"
  return { decision: isAllowed ? "accept" : "reject", source }
}

type EventReaders = {
  readonly [K in EntryKind]?: (entry: EntryOf<K>, context: EventContext) => TracedEvent | undefined
}

const readers: EventReaders = {
  prompt(entry, { contents }) {
    const text = promptText(entry)
    return {
      name: "user_prompt",
      fields: {
        "prompt.id": entry.promptId,
        prompt_length: text.length,
        ...(contents.prompts && { prompt: bounded(text) }),
      },
    }
  },
  reply_end({ model, usage, costUsd, durationMs, failure }) {
    if (failure) return errorEvent({ model, failure, durationMs })
    return {
      name: "api_request",
      fields: {
        model,
        ...optional("cost_usd", costUsd),
        duration_ms: durationMs,
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_creation_tokens: usage.cache_creation_input_tokens,
      },
    }
  },
  decision(entry) {
    if (entry.behavior === "ask") return undefined
    const { decision, source } = decisionWords(entry)
    return { name: "tool_decision", fields: { tool_name: entry.tool, decision, source, reason: entry.reason.kind } }
  },
  result(entry, { contents, inputOf }) {
    const { tool, callId, isError, durationMs, content } = entry
    const error = resultError(entry, undefined)
    const input = contents.toolInput ? inputOf(callId) : undefined
    return {
      name: "tool_result",
      severity: isError ? "warning" : "info",
      fields: {
        tool_name: tool,
        "gen_ai.tool.call.id": callId,
        success: !isError,
        duration_ms: durationMs,
        ...optional("error_kind", error?.type),
        ...(input && { tool_input: bounded(JSON.stringify(input)) }),
        ...(contents.toolOutput && {
          tool_output: bounded(typeof content === "string" ? content : JSON.stringify(content)),
        }),
      },
    }
  },
  turn_end: ({ reason, cause }) => ({
    name: "turn_end",
    severity: reason === "error" ? "error" : "info",
    fields: { reason, ...optional("cause", cause) },
  }),
  answer({ questionId, answer, at }, { askedAt }) {
    const asked = askedAt(questionId)
    if (!asked) return undefined
    return {
      name: "permission_wait",
      fields: { question: asked.kind, answer: answer.kind, duration_ms: at - asked.at },
    }
  },
  hook: ({ event, name, ms, exit, decision, failure }) => ({
    name: "hook",
    severity: failure === undefined ? "info" : "warning",
    fields: {
      hook_event: event,
      hook_name: name,
      duration_ms: ms,
      ...optional("exit_code", exit ?? undefined),
      ...optional("decision", decision),
    },
  }),
  compaction: ({ trigger, preTokens, postTokens }) => ({
    name: "compaction",
    fields: { trigger, tokens_before: preTokens, tokens_after: postTokens },
  }),
  child({ agentId, agentType, state, end, worktree }) {
    const about = { agent_id: agentId, agent_type: agentType }
    if (state === "ended") return { name: "agent_end", fields: { ...about, ...optional("end", end) } }
    return state === "started" && !worktree ? { name: "agent_start", fields: about } : undefined
  },
  mode: ({ mode }) => ({ name: "mode_change", fields: { mode } }),
  feedback: ({ rating, text }, { contents }) => ({
    name: "feedback",
    fields: { rating, ...(contents.prompts && text !== undefined && { comment: bounded(text) }) },
  }),
  model: ({ model, why }) => ({ name: "model_change", fields: { model, why } }),
}

export function eventOf(entry: Entry, context: EventContext): TracedEvent | undefined {
  // The table pairs each kind with its reader.
  const read = readers[entry.kind] as ((of: Entry, context: EventContext) => TracedEvent | undefined) | undefined
  return read?.(entry, context)
}

export const retryEvent = (model: string | undefined, { failure, attempt }: Retry): TracedEvent =>
  errorEvent({ ...optional("model", model), failure, attempt })

function errorEvent({
  model,
  failure,
  durationMs,
  attempt,
}: {
  readonly model?: string
  readonly failure: Retry["failure"]
  readonly durationMs?: number
  readonly attempt?: number
}): TracedEvent {
  return {
    name: "api_error",
    severity: "error",
    fields: {
      ...optional("model", model),
      error: failure.message,
      error_kind: failure.kind,
      ...optional("status_code", failure.status),
      ...optional("duration_ms", durationMs),
      ...optional("attempt", attempt),
    },
  }
}

export function eventName(name: EventName, names: "codewright" | "claude_code"): string {
  const kind: EventKind = eventKinds[name]
  return `${kind.claude ? names : "codewright"}.${name}`
}
