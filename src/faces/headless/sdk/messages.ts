/** Events as the messages of the Agent SDK's protocol, one JSON object a line. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Retry } from "#agent/words/model.ts"
import { failureWord } from "#faces/headless/result.ts"
import { given } from "#lib/given.ts"
import type { Crew } from "./crew.ts"
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
export interface Telling {
  /** Answers piece by piece, as they come. */
  readonly partial?: boolean
  /** What agents say, not only what they do. */
  readonly agentText?: boolean
  /** What hooks do at every event, not only at the start of a session. */
  readonly hooks?: boolean
}

/** The messages that an event becomes; none for what is only for us. */
export function sdkMessages(event: Event, envelope: Envelope, crew: Crew, telling: Telling = {}): readonly object[] {
  const { stamp } = envelope
  switch (event.type) {
    case "entry":
      return entryMessages(event.entry, envelope, crew)
    case "child":
      return agentMessages(event, envelope, crew, telling)
    case "model_delta":
      return telling.partial ? partial(event, null, envelope, crew.waited()) : []
    case "request_start":
      return telling.partial ? [{ type: "system", subtype: "status", status: "requesting", ...stamp() }] : []
    case "retry_wait":
      return [retryMessage(event.retry, envelope)]
    case "tool_progress":
      return progress(event, crew, envelope)
    case "hook_start":
    case "hook_progress":
    case "hook_end":
      return telling.hooks || isStartHook(event) ? [hookMessage(event, crew, envelope)] : []
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
      return commandEnd(event, crew.callOf(event.commandId), envelope, crew.now())
    default:
      return []
  }
}

function entryMessages(entry: Entry, envelope: Envelope, crew: Crew): readonly object[] {
  const { of, stamp } = envelope
  switch (entry.kind) {
    case "reply":
      return [assistantMessage(entry, envelope)]
    case "result":
      return [resultMessage(entry, envelope), ...commandTask(entry, envelope)]
    case "decision":
      return some(denialMessage(entry, envelope))
    case "child":
      return agentTask(entry, envelope)
    case "command":
      return [syntheticUser(`<local-command-stdout>${entry.text}</local-command-stdout>`, entry.at, of(entry))]
    case "mode":
      return [{ type: "system", subtype: "status", status: null, permissionMode: entry.mode, ...of(entry) }]
    case "request":
      return entry.summary ? [compacting(envelope)] : []
    case "compaction":
      return compaction(entry, envelope)
    case "head":
      return entry.why === "clear" ? [reset(entry, envelope)] : []
    case "notice":
      return entry.about === "compaction_failed" && crew.wasCompacting()
        ? [{ ...compactStatus(null), compact_result: "failed", compact_error: entry.text, ...stamp() }]
        : [{ type: "system", subtype: "informational", level: level(entry), content: entry.text, ...of(entry) }]
    default:
      return []
  }
}

/** What an agent does: its prompt, its calls and their results. Its words are for whoever started it. */
function agentMessages(
  { agentId, callId, event }: Extract<Event, { readonly type: "child" }>,
  envelope: Envelope,
  crew: Crew,
  telling: Telling,
  depth = 1,
): readonly object[] {
  if (event.type === "child") return agentMessages(event, envelope, crew, telling, depth + 1)
  const speaker = crew.speaker(agentId, callId)
  if (event.type === "model_delta")
    return telling.partial && telling.agentText ? partial(event, speaker.parent, envelope) : []
  if (event.type === "tool_progress") return progress(event, crew, envelope, speaker)
  if (isHookEvent(event)) return telling.hooks ? [hookMessage(event, crew, envelope)] : []
  if (event.type === "background_end")
    return commandEnd(event, crew.callOf(commandTaskId(event.commandId, agentId)), envelope, crew.now(), agentId)
  if (event.type !== "entry") return []
  const { entry } = event
  switch (entry.kind) {
    case "prompt":
      return [promptMessage(entry, envelope, speaker)]
    case "reply":
      return entry.block.type === "tool_use" || telling.agentText ? [assistantMessage(entry, envelope, speaker)] : []
    case "result":
      return [
        resultMessage(entry, envelope, speaker),
        ...commandTask(entry, envelope, agentId),
        ...some(crew.progress(agentId, entry.tool, envelope)),
      ]
    case "decision":
      return some(denialMessage(entry, envelope, speaker))
    case "child":
      return agentTask(entry, envelope, { agentId, depth })
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
  const ttft = delta.type === "message_start" ? given("ttft_ms", waitedMs) : {}
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
  crew: Crew,
  { stamp }: Envelope,
  speaker?: Speaker,
): readonly object[] {
  const tool = crew.dueProgress(callId, elapsedMs)
  if (tool === undefined) return []
  return [
    {
      type: "tool_progress",
      tool_use_id: callId,
      tool_name: tool,
      parent_tool_use_id: speaker?.parent ?? null,
      elapsed_time_seconds: Math.round(elapsedMs / 100) / 10,
      ...(speaker && { task_id: speaker.fields.agent_id, ...given("subagent_type", speaker.fields.subagent_type) }),
      ...stamp(),
    },
  ]
}

const compactStatus = (status: "compacting" | null): object => ({ type: "system", subtype: "status", status })
const compacting = ({ stamp }: Envelope): object => ({ ...compactStatus("compacting"), ...stamp() })

/** The conversation goes on from the summary, so clients get it as what it now begins with. */
const compaction = (
  entry: Extract<Entry, { readonly kind: "compaction" }>,
  { of, stamp }: Envelope,
): readonly object[] => [
  { ...compactStatus(null), compact_result: "success", ...stamp() },
  {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: { trigger: entry.trigger, pre_tokens: entry.preTokens, post_tokens: entry.postTokens },
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
