/** What a conversation is made of. The shapes are those of the Messages API, except for what only its maker understands. */

import type { JsonObject, JsonValue } from "#lib/json.ts"

/** What a provider wants back with a block and nobody else can read: a signature, encrypted reasoning. Sent to its maker alone. */
export type Proof = { readonly by: string; readonly value: JsonValue }

export type TextBlock = { readonly type: "text"; readonly text: string }
/** Without a proof it is for people only: no provider takes it back. */
export type ThinkingBlock = { readonly type: "thinking"; readonly thinking: string; readonly proof?: Proof }
export type RedactedThinkingBlock = { readonly type: "redacted_thinking"; readonly proof: Proof }
export type ToolUseBlock = {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly proof?: Proof
}

type Base64Source = { readonly type: "base64"; readonly media_type: string; readonly data: string }
export type ImageBlock = { readonly type: "image"; readonly source: Base64Source }
export type DocumentBlock = { readonly type: "document"; readonly source: Base64Source; readonly title?: string }

/** Stands for the definition of a deferred tool: the model reads that in its place, and may call the tool from here on. */
export type ToolReferenceBlock = { readonly type: "tool_reference"; readonly tool_name: string }

/** What a tool may answer with. */
export type ResultContent = string | readonly (TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock)[]
export type ToolResultBlock = {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: ResultContent
  readonly is_error?: boolean
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock

/** Whatever stands in a message, or in a result in it. */
export type AnyBlock = AssistantBlock | UserBlock | ToolReferenceBlock

/** What a person (or a program for them) may put into a prompt. */
export type PromptBlock = TextBlock | ImageBlock | DocumentBlock

export type UserMessage = { readonly role: "user"; readonly content: readonly UserBlock[] }
/** Who wrote an answer. */
export type Author = { readonly model: string; readonly provider: string }
export type AssistantMessage = {
  readonly role: "assistant"
  readonly content: readonly AssistantBlock[]
  /** Absent where the log does not say, and where several providers wrote parts of it. */
  readonly by?: Author
}
export type Message = UserMessage | AssistantMessage

/** The plain text of blocks, joined; what is not text is left out. */
export function textOf(content: string | readonly AnyBlock[]): string {
  if (typeof content === "string") return content
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
