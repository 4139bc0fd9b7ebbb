/** Messages as the input items of the Responses API: text, calls, their results, and the provider's own reasoning. */

import type { AssistantMessage, MediaSource, Message, ResultContent, UserBlock } from "#agent/words/message.ts"
import { json } from "#ground/models/encoding.ts"
import { digestOf } from "#lib/digest.ts"
import type { JsonObject } from "#lib/json.ts"
import { type Phase, phaseIn, reasoningItem } from "./reasoning.ts"

/** None for a message of which nothing can be sent. `by`: whose reasoning goes back; nobody's when absent. */
export function inputItems(message: Message, by: string | undefined): readonly JsonObject[] {
  return message.role === "assistant" ? outputItems(message, by) : userItems(message.content)
}

function outputItems({ content }: AssistantMessage, by: string | undefined): readonly JsonObject[] {
  const items: JsonObject[] = []
  let phase: Phase | undefined
  for (const block of content) {
    switch (block.type) {
      case "thinking":
      case "redacted_thinking": {
        if (!block.proof || block.proof.by !== by) break
        const item = reasoningItem(block.proof)
        if (item) items.push(item)
        phase = phaseIn(block.proof) ?? phase
        break
      }
      case "text":
        items.push({ type: "message", role: "assistant", content: block.text, ...(phase && { phase }) })
        phase = undefined
        break
      case "tool_use":
        items.push({
          type: "function_call",
          call_id: wireId(block.id),
          name: wireName(block.name),
          arguments: json(block.input),
        })
    }
  }
  // Reasoning is refused without the item that it led to.
  return items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1)
}

/** Results first, right after their calls; then what the user says. */
function userItems(content: readonly UserBlock[]): readonly JsonObject[] {
  const results = content.flatMap((block) =>
    block.type === "tool_result"
      ? [
          {
            type: "function_call_output",
            call_id: wireId(block.tool_use_id),
            output: outputOf(block.content),
          },
        ]
      : [],
  )
  const parts = content.flatMap((block) => (block.type === "tool_result" ? [] : [partOf(block)]))
  return parts.length === 0 ? results : [...results, { type: "message", role: "user", content: parts }]
}

function outputOf(content: ResultContent): string | readonly JsonObject[] {
  if (typeof content === "string") return content
  const spoken = content.filter((block) => block.type !== "tool_reference")
  if (spoken.every((block) => block.type === "text")) return spoken.map(({ text }) => text).join("\n")
  return spoken.map(partOf)
}

type SpokenBlock = Exclude<UserBlock, { readonly type: "tool_result" }>

function partOf(block: SpokenBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "input_text", text: block.text }
    case "image":
      return { type: "input_image", image_url: addressOf(block.source), detail: "auto" }
    case "document":
      return block.source.type === "url"
        ? { type: "input_file", file_url: block.source.url }
        : { type: "input_file", filename: block.title ?? "document.pdf", file_data: addressOf(block.source) }
  }
}

const addressOf = (source: MediaSource): string =>
  source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`

const longestName = 64

/** Other providers' ids can be longer than this one takes. */
const wireId = (id: string): string => (id.length <= longestName ? id : `call_${digestOf(id)}`)

/** A model may call what never existed, by a name that would be refused for ever after. */
const wireName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, longestName) || "_"
