/** What a conversation is made of. The shapes are those of the Messages API, except for provider-specific data. */

import type { JsonObject, JsonValue } from "#lib/json.ts"

/**
 * Data a provider wants back with a block and only it can read: a signature, encrypted reasoning. Sent only to the
 * provider that made it.
 */
export type Proof = { readonly by: string; readonly value: JsonValue }

export type TextBlock = { readonly type: "text"; readonly text: string }
/** Text of an answer; some providers sign it. */
export type AnswerTextBlock = TextBlock & { readonly proof?: Proof }
/** Without a proof it is for display only: no provider takes it back. */
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
/** The provider fetches it. */
type UrlSource = { readonly type: "url"; readonly url: string }
export type MediaSource = Base64Source | UrlSource
export type ImageBlock = { readonly type: "image"; readonly source: MediaSource }
export type DocumentBlock = { readonly type: "document"; readonly source: MediaSource; readonly title?: string }

/**
 * Stands for the definition of a deferred tool: the model reads the definition in its place, and may call the tool
 * from here on.
 */
export type ToolReferenceBlock = { readonly type: "tool_reference"; readonly tool_name: string }

export type ResultContent = string | readonly (TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock)[]
export type ToolResultBlock = {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: ResultContent
  readonly is_error?: boolean
}

export type AssistantBlock = AnswerTextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock

/** Any block in a message, or in a result inside it. */
export type AnyBlock = AssistantBlock | UserBlock | ToolReferenceBlock

/** What a user (or a program on their behalf) may put into a prompt. */
export type PromptBlock = TextBlock | ImageBlock | DocumentBlock

export type UserMessage = { readonly role: "user"; readonly content: readonly UserBlock[] }
export type Author = { readonly model: string; readonly provider: string }
export type AssistantMessage = {
  readonly role: "assistant"
  readonly content: readonly AssistantBlock[]
  /** Absent where the log does not say, and where several providers wrote parts of it. */
  readonly by?: Author
}
export type Message = UserMessage | AssistantMessage

/** Leaves out everything that is not text. */
export function textOf(content: string | readonly AnyBlock[]): string {
  if (typeof content === "string") return content
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
