/** Events as the messages of the Agent SDK's protocol, one JSON object a line. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import type { Ids } from "#lib/ids.ts"

export interface Envelope {
  readonly sessionId: string
  readonly ids: Ids
}

/** The stream's first message, once per turn. */
export interface InitFacts {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly model: string
  readonly permissionMode: string
  readonly apiKeySource: string
  readonly version: string
  readonly addedFolders: readonly string[]
  /** Commands, skills and output style. */
  readonly commands?: readonly string[]
  readonly skills?: readonly string[]
  readonly outputStyle?: string
  readonly agents: readonly string[]
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[]
}

export function initMessage(facts: InitFacts, { sessionId, ids }: Envelope): object {
  return {
    type: "system",
    subtype: "init",
    cwd: facts.cwd,
    session_id: sessionId,
    tools: facts.tools,
    mcp_servers: facts.mcpServers.map(({ name, status }) => ({ name, status: serverStatus(status) })),
    model: facts.model,
    permissionMode: facts.permissionMode,
    slash_commands: facts.commands ?? [],
    apiKeySource: facts.apiKeySource,
    claude_code_version: facts.version,
    output_style: facts.outputStyle ?? "default",
    agents: facts.agents,
    skills: facts.skills ?? [],
    plugins: [],
    additional_directories: facts.addedFolders,
    uuid: ids.uuid(),
  }
}

const serverStatus = (status: string): string =>
  ({ connecting: "pending", needs_approval: "pending", needs_login: "needs-auth" })[status] ?? status

/** Undefined if clients are not told about it. */
export function sdkMessage(event: Event, envelope: Envelope): object | undefined {
  const { sessionId: session_id, ids } = envelope
  if (event.type === "entry") return entryMessage(event.entry, session_id, null)
  if (event.type === "child") return agentMessage(event.event, event.callId, envelope)
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

/** Its prompt, calls and results. Its text is for the agent that started it. */
function agentMessage(event: Event, callId: string, envelope: Envelope): object | undefined {
  const { sessionId: session_id } = envelope
  if (event.type === "child") return agentMessage(event.event, event.callId, envelope)
  if (event.type !== "entry") return undefined
  const { entry } = event
  switch (entry.kind) {
    case "prompt":
      return {
        type: "user",
        message: { role: "user", content: entry.content },
        parent_tool_use_id: callId,
        session_id,
        uuid: entry.uuid,
        timestamp: new Date(entry.at).toISOString(),
      }
    case "reply":
      return entry.block.type === "tool_use" ? entryMessage(entry, session_id, callId) : undefined
    case "result":
    case "decision":
    case "child":
      return entryMessage(entry, session_id, callId)
    default:
      return undefined
  }
}

/** `parent`: the call that started the agent, unless it is the main one. */
function entryMessage(entry: Entry, session_id: string, parent: string | null): object | undefined {
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
          content: [sdkBlock(entry.block)],
          stop_reason: null,
          stop_sequence: null,
          usage: entry.usage,
        },
        parent_tool_use_id: parent,
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
        parent_tool_use_id: parent,
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
    case "child":
      return taskMessage(entry, session_id)
    case "command":
      return {
        type: "user",
        message: { role: "user", content: `<local-command-stdout>${entry.text}</local-command-stdout>` },
        parent_tool_use_id: null,
        session_id,
        uuid,
        timestamp,
        isSynthetic: true,
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

function taskMessage(entry: Entry & { kind: "child" }, session_id: string): object | undefined {
  const { agentId, agentType, callId, description, state, end, usage, path, uuid } = entry
  const about = { task_id: agentId, tool_use_id: callId, session_id, uuid }
  if (state === "background") return undefined
  if (state === "started")
    return {
      type: "system",
      subtype: "task_started",
      ...about,
      description,
      subagent_type: agentType,
      task_type: "local_agent",
    }
  return {
    type: "system",
    subtype: "task_notification",
    ...about,
    status: end === "completed" ? "completed" : end === "stopped" ? "stopped" : "failed",
    summary: description,
    output_file: path ?? "",
    ...(usage && {
      usage: { total_tokens: usage.tokens, tool_uses: usage.toolUses, duration_ms: usage.durationMs },
    }),
  }
}

/** Stands in for an answer that the model could not give. */
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

/** The protocol calls a provider's proof a signature. */
function sdkBlock(block: AssistantBlock): object {
  switch (block.type) {
    case "text":
      return block
    case "thinking":
      return { type: block.type, thinking: block.thinking, signature: textIn(block.proof?.value) }
    case "redacted_thinking":
      return { type: block.type, data: textIn(block.proof.value) }
    case "tool_use": {
      const { proof: _proof, ...use } = block
      return use
    }
  }
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")
