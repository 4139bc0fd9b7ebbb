/** Events as the messages of the Agent SDK's protocol, one JSON object a line. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Ids } from "#lib/ids.ts"

export interface Envelope {
  readonly sessionId: string
  readonly ids: Ids
}

/** What the stream begins with, once per turn. */
export interface InitFacts {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly model: string
  readonly permissionMode: string
  readonly apiKeySource: string
  readonly version: string
  readonly addedFolders: readonly string[]
}

export function initMessage(facts: InitFacts, { sessionId, ids }: Envelope): object {
  return {
    type: "system",
    subtype: "init",
    cwd: facts.cwd,
    session_id: sessionId,
    tools: facts.tools,
    mcp_servers: [],
    model: facts.model,
    permissionMode: facts.permissionMode,
    slash_commands: [],
    apiKeySource: facts.apiKeySource,
    claude_code_version: facts.version,
    output_style: "default",
    agents: [],
    skills: [],
    plugins: [],
    additional_directories: facts.addedFolders,
    uuid: ids.uuid(),
  }
}

/** The message an event becomes, if clients are told of it. */
export function sdkMessage(event: Event, envelope: Envelope): object | undefined {
  const { sessionId: session_id, ids } = envelope
  if (event.type === "entry") return entryMessage(event.entry, session_id)
  if (event.type !== "retry_wait") return undefined
  const { attempt, of, delayMs, failure } = event.retry
  return {
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: of - 1,
    retry_delay_ms: delayMs,
    error_status: failure.status ?? null,
    error: failure.message,
    session_id,
    uuid: ids.uuid(),
  }
}

function entryMessage(entry: Entry, session_id: string): object | undefined {
  const { uuid } = entry
  const timestamp = new Date(entry.at).toISOString()
  switch (entry.kind) {
    case "reply":
      return {
        type: "assistant",
        message: {
          id: entry.messageId,
          type: "message",
          role: "assistant",
          model: entry.model,
          content: [entry.block],
          stop_reason: null,
          stop_sequence: null,
          usage: entry.usage,
        },
        parent_tool_use_id: null,
        session_id,
        uuid,
        timestamp,
      }
    case "result": {
      const { callId, content, isError, data } = entry
      return {
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: callId, content, ...(isError && { is_error: true }) }],
        },
        parent_tool_use_id: null,
        session_id,
        uuid,
        timestamp,
        tool_use_result:
          data ?? (isError ? `Error: ${typeof content === "string" ? content : "see the message"}` : content),
      }
    }
    case "decision":
      if (entry.behavior !== "deny" || entry.reason.kind === "person") return undefined
      return {
        type: "system",
        subtype: "permission_denied",
        tool_name: entry.tool,
        tool_use_id: entry.callId,
        message: entry.message,
        decision_reason_type: entry.reason.kind,
        session_id,
        uuid,
      }
    case "mode":
      return { type: "system", subtype: "status", status: null, permissionMode: entry.mode, session_id, uuid }
    case "compaction": {
      const compact_metadata = {
        trigger: entry.trigger,
        pre_tokens: entry.preTokens,
        post_tokens: entry.postTokens,
      }
      return { type: "system", subtype: "compact_boundary", compact_metadata, session_id, uuid }
    }
    case "head":
      return entry.why === "clear" ? { type: "conversation_reset", session_id, uuid } : undefined
    case "notice":
      return { type: "system", subtype: "informational", level: entry.level, content: entry.text, session_id, uuid }
    default:
      return undefined
  }
}

/** What stands for an answer that the model could not give. */
export function syntheticMessage(text: string, error: string, { sessionId, ids }: Envelope): object {
  return {
    type: "assistant",
    message: {
      id: ids.uuid(),
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: ids.uuid(),
    error,
  }
}
