/** Converts a server's answer for the model: text, valid images, and a note for everything else. */

import type { ImageBlock, ResultContent, TextBlock } from "#agent/words/message.ts"
import { imageSize } from "#lib/image-size.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

type ShownBlock = TextBlock | ImageBlock

/** Five megabytes of base64: the limit of providers. */
const mostImageCharacters = 5_000_000
const longestEdge = 8_000

/** Blocks of a tool's answer; structured content is added if no block says the same. */
export function contentOf(blocks: readonly JsonValue[], structured?: JsonValue): ResultContent {
  const shown = blocks.flatMap((block) => shownBlock(block))
  if (structured !== undefined && !says(shown, structured)) shown.push(text(JSON.stringify(structured, null, 2)))
  if (shown.length === 0) return "The tool gave nothing back."
  const texts = shown.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.length === shown.length ? texts.join("\n") : shown
}

export function resourceContentOf(contents: readonly JsonValue[]): ResultContent {
  return contentOf(contents.map((resource) => ({ type: "resource", resource })))
}

function shownBlock(block: JsonValue): readonly ShownBlock[] {
  if (!isObject(block)) return [text("[A part of the answer is no block, and is left out.]")]
  switch (block.type) {
    case "text":
      return [text(typeof block.text === "string" ? block.text : "[A block of text without text.]")]
    case "image":
      return [image(block.data, block.mimeType)]
    case "audio":
      return [text(`[Sound (${word(block.mimeType, "audio")}, ${sizeOf(block.data)}), which cannot be heard here.]`)]
    case "resource":
      return isObject(block.resource) ? resourceParts(block.resource) : [text("[A resource without content.]")]
    case "resource_link":
      return [text(link(block))]
    default:
      return [text(`[A block of the kind ${JSON.stringify(block.type ?? null)}, which cannot be shown here.]`)]
  }
}

function resourceParts(one: JsonObject): readonly ShownBlock[] {
  const uri = word(one.uri, "a resource")
  if (typeof one.text === "string") return [text(`[${uri}]\n${one.text}`)]
  if (typeof one.blob !== "string") return [text(`[${uri} came without content.]`)]
  if (typeof one.mimeType === "string" && one.mimeType.startsWith("image/"))
    return [text(`[${uri}]`), image(one.blob, one.mimeType)]
  return [text(`[${uri}: ${word(one.mimeType, "bytes")}, ${sizeOf(one.blob)}, which cannot be shown here.]`)]
}

function link({ uri, name, description, mimeType }: JsonObject): string {
  const about = [name, mimeType, description].filter((one) => typeof one === "string" && one !== "").join(", ")
  return `[A link to the resource ${word(uri, "(without address)")}${about === "" ? "" : ` (${about})`}; ReadMcpResource reads it.]`
}

/** An image that is not of its stated type makes the provider refuse the whole request. */
function image(data: JsonValue | undefined, mimeType: JsonValue | undefined): ShownBlock {
  const base64 = typeof data === "string" ? data.replace(/\s/g, "") : ""
  const media_type = mediaTypeOf(base64)
  const size = imageSize(base64)
  const isSound = /^[A-Za-z0-9+/]+={0,2}$/.test(base64)
  if (media_type === undefined || size === undefined || !isSound)
    return text(
      `[An image (${word(mimeType, "of unknown kind")}, ${sizeOf(data)}) that cannot be shown: it is damaged or of a kind that models do not see.]`,
    )
  if (base64.length > mostImageCharacters || Math.max(size.width, size.height) > longestEdge)
    return text(`[An image of ${size.width} x ${size.height} pixels, ${sizeOf(data)}: too large to be shown.]`)
  return { type: "image", source: { type: "base64", media_type, data: base64 } }
}

function mediaTypeOf(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, 24), "base64").toString("latin1")
  if (start.startsWith("\x89PNG")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (start.startsWith("GIF8")) return "image/gif"
  return start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" ? "image/webp" : undefined
}

/** Servers should also give structured content as text: if the text has all of its values, it is not repeated. */
function says(shown: readonly ShownBlock[], structured: JsonValue): boolean {
  const said = shown.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const values = leavesOf(structured, [])
  if (values.length > mostCompared || said.length > mostComparedCharacters) return said !== ""
  return values.length > 0 && values.every((value) => said.includes(value) || said.includes(JSON.stringify(value)))
}

/** Comparing more than this costs more than repeating it. */
const mostCompared = 500
const mostComparedCharacters = 200_000

function leavesOf(value: JsonValue, found: string[]): readonly string[] {
  if (found.length > mostCompared) return found
  if (typeof value === "string" || typeof value === "number") found.push(String(value))
  else if (Array.isArray(value)) for (const one of value) leavesOf(one, found)
  else if (isObject(value)) for (const one of Object.values(value)) leavesOf(one, found)
  return found
}

const text = (said: string): TextBlock => ({ type: "text", text: said })

const word = (value: JsonValue | undefined, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise

function sizeOf(data: JsonValue | undefined): string {
  const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`
}
