/** Entries of a conversation as messages, whoever's conversation it is: the main agent's, or that of one it started. */

import type { Entry } from "#agent/words/entry.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Reason } from "#agent/words/permission.ts"
import { sdkUsage } from "#faces/headless/usage.ts"
import { optional } from "#lib/optional.ts"
import type { Envelope } from "./envelope.ts"
import { permissionSource } from "./source-names.ts"

/** Who speaks, where it is not the main agent. */
export interface Speaker {
  /** The call that started it. */
  readonly parent: string
  readonly fields: { readonly agent_id: string; readonly subagent_type?: string; readonly task_description?: string }
}

type Of<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>

/** One message a block: blocks of one answer share its id. What it used is known for certain only at the end of the turn. */
export const assistantMessage = (entry: Of<"reply">, { of }: Envelope, speaker?: Speaker): object => ({
  type: "assistant",
  message: {
    id: entry.messageId,
    type: "message",
    role: "assistant",
    model: entry.model,
    content: [sdkBlock(entry.block)],
    stop_reason: null,
    stop_sequence: null,
    usage: sdkUsage(entry.usage),
  },
  parent_tool_use_id: speaker?.parent ?? null,
  ...of(entry),
  timestamp: timeOf(entry),
  ...optional("aborted", entry.aborted),
  ...speaker?.fields,
})

export function resultMessage(entry: Of<"result">, { of }: Envelope, speaker?: Speaker): object {
  const { callId, content, isError, data } = entry
  const words = typeof content === "string" ? content : "see the message"
  return {
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: callId, content, ...(isError && { is_error: true }) }],
    },
    parent_tool_use_id: speaker?.parent ?? null,
    ...of(entry),
    timestamp: timeOf(entry),
    tool_use_result: data ?? (isError ? `Error: ${words}` : content),
    ...speaker?.fields,
  }
}

export const promptMessage = (entry: Of<"prompt">, { of }: Envelope, speaker?: Speaker): object => ({
  type: "user",
  message: { role: "user", content: entry.content },
  parent_tool_use_id: speaker?.parent ?? null,
  ...of(entry),
  timestamp: timeOf(entry),
  ...speaker?.fields,
})

/** Undefined for an answer that a person, or a client for them, gave. */
export function denialMessage(entry: Of<"decision">, { of }: Envelope, speaker?: Speaker): object | undefined {
  if (entry.behavior !== "deny" || entry.reason.kind === "person") return undefined
  return {
    type: "system",
    subtype: "permission_denied",
    tool_name: entry.tool,
    tool_use_id: entry.callId,
    message: entry.message,
    ...reasonWords(entry.reason),
    ...(speaker && { agent_id: speaker.fields.agent_id }),
    ...of(entry),
  }
}

const reasonWords = (reason: Reason): object => ({
  decision_reason_type: reason.kind,
  ...optional("decision_reason", reasonText(reason)),
})

/** What decided, where there is more to say than the message says. */
function reasonText(reason: Reason): string | undefined {
  switch (reason.kind) {
    case "rule":
      return `The rule ${reason.rule} (${permissionSource(reason.source)})`
    case "hook":
      return `The hook ${reason.name}`
    case "mode":
      return `The mode ${reason.mode}`
    case "classifier":
      return reason.why
    case "tool_check":
      return reason.check
    default:
      return undefined
  }
}

/** What is in the conversation although neither the user nor the model said it. */
export const syntheticUser = (
  content: string,
  at: number,
  stamp: { readonly uuid: string; readonly session_id: string },
): object => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...stamp,
  timestamp: new Date(at).toISOString(),
  isSynthetic: true,
})

/** What stands for an answer that the model could not give. */
export const syntheticAssistant = (text: string, error: string, { stamp }: Envelope): object => ({
  type: "assistant",
  message: {
    id: stamp().uuid,
    type: "message",
    role: "assistant",
    model: "<synthetic>",
    content: [{ type: "text", text }],
    stop_reason: "stop_sequence",
    stop_sequence: "",
    usage: sdkUsage(noUsage),
  },
  parent_tool_use_id: null,
  ...stamp(),
  error,
})

const timeOf = ({ at }: Pick<Entry, "at">): string => new Date(at).toISOString()

/** A block in the shape that readers of the protocol know: what a provider proves itself by is a signature there. */
function sdkBlock(block: AssistantBlock): object {
  switch (block.type) {
    case "text":
      return { type: block.type, text: block.text }
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
