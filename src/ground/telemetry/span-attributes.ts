/** What entries say about a span, under the names of the conventions. */

import type { Display } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Attributes, Contents, Span } from "./span.ts"

export type EntryOf<K extends Entry["kind"]> = Entry & { readonly kind: K }

/** What is known of a call when it ends. */
export interface ConcernedCall {
  readonly tool: string
  readonly input: JsonObject
  decision: EntryOf<"decision"> | undefined
}

/** The version of the conventions that the names come from; later ones are not released yet. */
export const conventions = "https://opentelemetry.io/schemas/1.41.0"

const providers: { readonly [name: string]: string } = {
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  bedrock: "aws.bedrock",
  foundry: "azure.ai.inference",
  "openai-chat": "openai",
}

export const providerName = (provider = "anthropic"): string => providers[provider] ?? provider

/** Longer contents are cut: collectors refuse large attributes. */
const mostCharacters = 16_000

export const bounded = (text: string): string =>
  text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)} [cut, ${text.length} characters]`

export const contentAttributes = (isOn: boolean, name: string, content: unknown): Attributes =>
  isOn ? { [name]: bounded(typeof content === "string" ? content : JSON.stringify(content)) } : {}

export const promptText = ({ content }: EntryOf<"prompt">): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")

export function promptAttributes(entry: EntryOf<"prompt">, contents: Contents): Attributes {
  const text = promptText(entry)
  return {
    "codewright.prompt.id": entry.promptId,
    "codewright.prompt.length": text.length,
    ...optional("codewright.prompt.origin", entry.origin?.kind),
    ...contentAttributes(contents.prompts, "gen_ai.input.messages", [
      { role: "user", parts: [{ type: "text", content: text }] },
    ]),
  }
}

/** The conventions count tokens from the cache as input, too. */
export function usageAttributes({ usage, model, stopReason, costUsd, cut }: EntryOf<"reply_end">): Attributes {
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
  return {
    "gen_ai.response.model": model,
    "gen_ai.usage.input_tokens": input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
    "gen_ai.usage.output_tokens": output_tokens,
    "gen_ai.usage.cache_creation.input_tokens": cache_creation_input_tokens,
    "gen_ai.usage.cache_read.input_tokens": cache_read_input_tokens,
    ...(stopReason !== null && { "gen_ai.response.finish_reasons": [stopReason] }),
    ...optional("codewright.cost.usd", costUsd),
    ...optional("codewright.answer.cut", cut),
  }
}

export const answerAttributes = ({ answer }: EntryOf<"answer">): Attributes => ({ "codewright.answer": answer.kind })

/** Why a call failed; undefined if it did not. */
export function resultError(
  { isError, denied, interrupted }: EntryOf<"result">,
  decision: EntryOf<"decision"> | undefined,
): Span["error"] {
  if (denied || (isError && decision?.behavior === "deny")) return { type: "denied" }
  if (interrupted) return { type: "interrupted" }
  return isError ? { type: "tool_error" } : undefined
}

export function lineCounts(display: Display | undefined): Attributes {
  const files = display?.kind === "diff" ? [display] : display?.kind === "diffs" ? display.files : []
  if (files.length === 0) return {}
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
  return {
    "codewright.lines.added": lines.filter((line) => line.startsWith("+")).length,
    "codewright.lines.removed": lines.filter((line) => line.startsWith("-")).length,
  }
}
