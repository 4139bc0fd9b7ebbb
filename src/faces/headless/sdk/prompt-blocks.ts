/** The content of a client's message as blocks of a prompt. */

import type { MediaSource, PromptBlock } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** The failure continues a sentence about the message. */
export function promptBlocks(content: JsonValue | undefined): Result<readonly PromptBlock[], string> {
  if (typeof content === "string") return ok([{ type: "text", text: content }])
  if (!Array.isArray(content)) return failed("whose content is neither a string nor a list of blocks")
  const blocks: PromptBlock[] = []
  for (const one of content) {
    const block = isObject(one) ? promptBlock(one) : undefined
    if (!block) return failed(`with a block that cannot be sent: ${kindOf(one)}`)
    blocks.push(block)
  }
  return ok(blocks)
}

/** More than a user pastes. */
const mostPasted = 1_000

/** What the user pasted apart from the message: text only, each paste a block of its own. A longer list counts for nothing. */
export function pastedBlocks(pasted: JsonValue | undefined): readonly PromptBlock[] {
  if (!Array.isArray(pasted)) return []
  const parts = pasted.flatMap((one: JsonValue) => (Array.isArray(one) ? one : [one]))
  if (parts.length > mostPasted) return []
  return parts.flatMap((part: JsonValue) => {
    const text = isObject(part) && part.type === "text" ? part.text : part
    return typeof text === "string" && text !== "" ? [{ type: "text" as const, text }] : []
  })
}

function promptBlock(block: JsonObject): PromptBlock | undefined {
  if (block.type === "text") return typeof block.text === "string" ? { type: "text", text: block.text } : undefined
  const source: JsonObject = isObject(block.source) ? block.source : {}
  const { title } = block
  if (source.type === "text" && block.type === "document" && typeof source.data === "string")
    return { type: "text", text: source.data }
  const whole = mediaSource(source)
  if (!whole) return undefined
  if (block.type === "image") return { type: "image", source: whole }
  if (block.type !== "document") return undefined
  return { type: "document", source: whole, ...optional("title", typeof title === "string" ? title : undefined) }
}

function mediaSource({ type, media_type, data, url }: JsonObject): MediaSource | undefined {
  if (type === "url") return typeof url === "string" && /^https?:\/\//.test(url) ? { type, url } : undefined
  const isWhole = type === "base64" && typeof media_type === "string" && typeof data === "string"
  return isWhole ? { type, media_type, data } : undefined
}

function kindOf(value: JsonValue): string {
  if (!isObject(value)) return "not an object"
  const { type, source } = value
  return typeof type !== "string" ? "without a type" : isObject(source) ? `${type} from ${String(source.type)}` : type
}
