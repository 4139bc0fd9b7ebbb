/** Events as the messages of the Agent SDK's protocol, one JSON object a line. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Retry } from "#agent/words/model.ts"
import { failureWord } from "#faces/headless/result.ts"
import { optional } from "#lib/optional.ts"
import type { EventMemory } from "./event-memory.ts"
import {
  assistantMessage,
  denialMessage,
  promptMessage,
  resultMessage,
  type Speaker,
  syntheticUser,
} from "./entry-message.ts"
import type { Envelope } from "./envelope.ts"
import { hookMessage, isHookEvent, isStartHook } from "./hook-messages.ts"
import { streamEvent } from "./stream-events.ts"
import { agentTask, commandEnd, commandTask, commandTaskId } from "./task-messages.ts"

/** What a client wants to hear besides the usual. */
export interface MessageOptions {
  /** Answers piece by piece, as they come. */
  readonly partial?: boolean
  /** What agents say, not only what they do. */
  readonly agentText?: boolean
  /** What hooks do at every event, not only at the start of a session. */
  readonly hooks?: boolean
}

/** The messages that an event becomes; none for what is only for us. */
export function sdkMessages(
  event: Event,
  envelope: Envelope,
  memory: EventMemory,
  options: MessageOptions = {},
): readonly object[] {
  const { stamp } = envelope
  switch (event.type) {
    case "entry":
      return entryMessages(event.entry, envelope, memory)
    case "child":
      return agentMessages(event, envelope, memory, options)
    case "model_delta":
      return options.partial ? partial(event, null, envelope, memory.waited()) : []
    case "request_start":
      return options.partial ? [{ type: "system", subtype: "status", status: "requesting", ...stamp() }] : []
    case "retry_wait":
      return [retryMessage(event.retry, envelope)]
    case "tool_progress":
      return progress(event, memory, envelope)
    case "hook_start":
    case "hook_progress":
    case "hook_end":
      return options.hooks || isStartHook(event) ? [hookMessage(event, memory, envelope)] : []
    case "suggestion":
      return [{ type: "prompt_suggestion", suggestion: event.text, ...stamp() }]
    case "elicitation_end":
      return [
        {
          type: "system",
          subtype: "elicitation_complete",
          mcp_server_name: event.server,
          elicitation_id: event.elicitationId,
          ...stamp(),
        },
      ]
    case "background_end":
      return commandEnd(event, memory.callOf(event.commandId), envelope, memory.now())
    default:
      return []
  }
}

function entryMessages(entry: Entry, envelope: Envelope, memory: EventMemory): readonly object[] {
  const { of } = envelope
  switch (entry.kind) {
    case "reply":
      return [replacing(replyMessage(entry, envelope, memory), memory.superseded())]
    case "result":
      return [resultMessage(entry, envelope), ...commandTask(entry, envelope)]
    case "decision":
      return some(denialMessage(entry, envelope))
    case "child":
      return agentTask(entry, envelope, { prompt: memory.promptOf(entry.callId) })
    case "command":
      return [
        ...(memory.compactedNothing() ? [notCompacted(entry.text, envelope)] : []),
        syntheticUser(`<local-command-stdout>${entry.text}</local-command-stdout>`, entry.at, of(entry)),
      ]
    case "mode":
      return [{ type: "system", subtype: "status", status: null, permissionMode: entry.mode, ...of(entry) }]
    case "request":
      return entry.summary && !entry.summary.ahead ? [compacting(envelope)] : []
    case "compaction":
      return compaction(entry, envelope, memory.compactedMs())
    case "head":
      return entry.why === "clear" ? [reset(entry, envelope)] : []
    case "notice":
      return entry.about === "compaction_failed" && memory.wasCompacting()
        ? [notCompacted(entry.text, envelope)]
        : [{ type: "system", subtype: "informational", level: level(entry), content: entry.text, ...of(entry) }]
    default:
      return []
  }
}

const replyMessage = (
  entry: Extract<Entry, { readonly kind: "reply" }>,
  envelope: Envelope,
  memory: EventMemory,
  speaker?: Speaker,
): object => ({
  ...assistantMessage(entry, envelope, speaker),
  ...optional("request_id", memory.requestOf(entry.messageId)),
})

/** What an agent does: its prompt, its calls and their results. Its words are for whoever started it. */
function agentMessages(
  { agentId, callId, event }: Extract<Event, { readonly type: "child" }>,
  envelope: Envelope,
  memory: EventMemory,
  options: MessageOptions,
  depth = 1,
): readonly object[] {
  if (event.type === "child") return agentMessages(event, envelope, memory, options, depth + 1)
  const speaker = memory.speaker(agentId, callId)
  if (event.type === "model_delta")
    return options.partial && options.agentText ? partial(event, speaker.parent, envelope) : []
  if (event.type === "tool_progress") return progress(event, memory, envelope, speaker)
  if (event.type === "retry_wait") return [agentRetry(event.retry, speaker, memory.workedMs(agentId), envelope)]
  if (isHookEvent(event)) return options.hooks ? [hookMessage(event, memory, envelope)] : []
  if (event.type === "background_end")
    return commandEnd(event, memory.callOf(commandTaskId(event.commandId, agentId)), envelope, memory.now(), agentId)
  if (event.type !== "entry") return []
  const { entry } = event
  switch (entry.kind) {
    case "prompt":
      return [promptMessage(entry, envelope, speaker)]
    case "reply":
      return entry.block.type === "tool_use" || options.agentText
        ? [replyMessage(entry, envelope, memory, speaker)]
        : []
    case "result":
      return [
        resultMessage(entry, envelope, speaker),
        ...commandTask(entry, envelope, agentId),
        ...some(memory.progress(agentId, entry.tool, envelope)),
      ]
    case "decision":
      return some(denialMessage(entry, envelope, speaker))
    case "child":
      return agentTask(entry, envelope, { parent: { agentId, depth }, prompt: memory.promptOf(entry.callId) })
    default:
      return []
  }
}

function partial(
  { messageId, delta }: Extract<Event, { readonly type: "model_delta" }>,
  parent_tool_use_id: string | null,
  { stamp }: Envelope,
  waitedMs?: number,
): readonly object[] {
  const event = streamEvent(delta, messageId)
  const ttft = delta.type === "message_start" ? optional("ttft_ms", waitedMs) : {}
  return event ? [{ type: "stream_event", event, parent_tool_use_id, ...stamp(), ...ttft }] : []
}

const retryMessage = ({ attempt, of, delayMs, failure }: Retry, { stamp }: Envelope): object => ({
  type: "system",
  subtype: "api_retry",
  attempt,
  max_retries: of - 1,
  retry_delay_ms: delayMs,
  error_status: failure.status ?? null,
  error: failureWord(failure.kind),
  ...(failure.kind === "unreachable" &&
    failure.silentMs !== undefined && {
      // The next attempt waits as long.
      no_response: { waited_ms: failure.silentMs, retry_wait_ms: failure.silentMs },
    }),
  ...stamp(),
})

function progress(
  { callId, progress: { elapsedMs } }: Extract<Event, { readonly type: "tool_progress" }>,
  memory: EventMemory,
  { stamp }: Envelope,
  speaker?: Speaker,
): readonly object[] {
  const tool = memory.dueProgress(callId, elapsedMs)
  if (tool === undefined) return []
  return [
    {
      type: "tool_progress",
      tool_use_id: callId,
      tool_name: tool,
      parent_tool_use_id: speaker?.parent ?? null,
      elapsed_time_seconds: Math.round(elapsedMs / 100) / 10,
      ...(speaker && { task_id: speaker.fields.agent_id, ...optional("subagent_type", speaker.fields.subagent_type) }),
      ...stamp(),
    },
  ]
}

/** An agent's request is repeated: told as progress of the call that started it. */
const agentRetry = (
  { attempt, of, delayMs, failure }: Retry,
  { parent, fields }: Speaker,
  elapsedMs: number,
  { stamp }: Envelope,
): object => ({
  type: "tool_progress",
  tool_use_id: parent,
  tool_name: "Task",
  parent_tool_use_id: null,
  elapsed_time_seconds: Math.round(elapsedMs / 100) / 10,
  task_id: fields.agent_id,
  ...optional("subagent_type", fields.subagent_type),
  subagent_retry: {
    agent_id: fields.agent_id,
    attempt,
    max_retries: of - 1,
    retry_delay_ms: delayMs,
    error_status: failure.status ?? null,
    error_category: failureWord(failure.kind),
  },
  ...stamp(),
})

/** Clients take the named messages out when this one arrives. */
const replacing = (message: object, supersedes: readonly string[]): object =>
  supersedes.length === 0 ? message : { ...message, supersedes }

const compactStatus = (status: "compacting" | null): object => ({ type: "system", subtype: "status", status })
const compacting = ({ stamp }: Envelope): object => ({ ...compactStatus("compacting"), ...stamp() })

const notCompacted = (why: string, { stamp }: Envelope): object => ({
  ...compactStatus(null),
  compact_result: "failed",
  compact_error: why,
  ...stamp(),
})

/** The conversation goes on from the summary, so clients get it as what it now begins with. */
const compaction = (
  entry: Extract<Entry, { readonly kind: "compaction" }>,
  { of, stamp }: Envelope,
  durationMs: number | undefined,
): readonly object[] => [
  { ...compactStatus(null), compact_result: "success", ...stamp() },
  {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: {
      trigger: entry.trigger,
      pre_tokens: entry.preTokens,
      post_tokens: entry.postTokens,
      ...optional("duration_ms", durationMs),
    },
    ...of(entry),
  },
  syntheticUser(entry.summary, entry.at, stamp()),
]

const reset = (entry: Extract<Entry, { readonly kind: "head" }>, { of }: Envelope): object => ({
  type: "conversation_reset",
  new_conversation_id: entry.uuid,
  trigger: "clear",
  timestamp: new Date(entry.at).toISOString(),
  ...of(entry),
})

/** Clients know no level for errors. */
const level = ({ level: said }: Extract<Entry, { readonly kind: "notice" }>): string =>
  said === "error" ? "warning" : said

const some = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])
