/**
 * A request cut into the segments a prompt cache knows, each with the hash and length of everything up to it: one
 * pass, O(size). A deferred tool is not a segment: it is read where a result refers to it, and not before.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { blocksIn, listIn, type SimRequest } from "./request.ts"

export type SegmentPlace =
  | { readonly part: "model" | "tools" | "system" | "parameters" }
  | { readonly part: "messages"; readonly message: number; readonly block: number }

/** Identified together with everything before it. */
export interface Segment {
  readonly place: SegmentPlace
  /** Of this segment and all before it. */
  readonly hash: bigint
  /** Of this segment and all before it. */
  readonly tokens: number
  /** How long a cache mark here asks to keep the prefix; undefined without a mark. */
  readonly keepMs: number | undefined
  /** Marks on the segment itself, including those inside a result. */
  readonly marks: number
}

const charsPerToken = 4
/** Roughly what an image costs, whatever its size in bytes. */
const imageChars = 1_600 * charsPerToken
const minutes = 60_000

export function measure(request: SimRequest): readonly Segment[] {
  const { body } = request
  const segments: Segment[] = []
  let hash = 0n
  let chars = 0
  const tools = listIn(body.tools)
  const deferred = new Map(tools.filter(isDeferred).map(({ defer_loading: _, ...tool }) => [tool.name, tool]))
  const add = (place: SegmentPlace, salt: string, value: JsonValue, ownMark?: JsonValue): void => {
    const stripped = strip(value, deferred)
    const json = salt + JSON.stringify(stripped.value)
    hash = Bun.hash.wyhash(json, hash)
    chars += json.length - stripped.mediaChars + stripped.images * imageChars
    segments.push({
      place,
      hash,
      tokens: Math.ceil(chars / charsPerToken),
      keepMs: markOf(ownMark) ?? stripped.keepMs,
      marks: stripped.marks + (ownMark ? 1 : 0),
    })
  }

  // The order is the provider's: tools, then system, then messages; another model shares nothing.
  add({ part: "model" }, "", request.model)
  for (const tool of tools) if (!isDeferred(tool)) add({ part: "tools" }, "tool", tool)
  for (const block of blocksIn(body.system)) add({ part: "system" }, "system", block)
  const effort = isObject(body.output_config) ? body.output_config.effort : undefined
  const parameters = [body.tool_choice ?? null, body.thinking ?? null, ...(effort === undefined ? [] : [effort])]
  add({ part: "parameters" }, "", parameters)
  const lastMessage = request.messages.length - 1
  for (const [message, { role, content }] of request.messages.entries())
    for (const [block, value] of content.entries()) {
      const isLast = message === lastMessage && block === content.length - 1
      const salt = block === 0 ? role : ""
      add({ part: "messages", message, block }, salt, value, isLast ? body.cache_control : undefined)
    }
  return segments
}

export const tokensOf = (segments: readonly Segment[]): number => segments.at(-1)?.tokens ?? 0

interface Stripped {
  readonly value: JsonValue
  readonly keepMs: number | undefined
  readonly marks: number
  readonly images: number
  /** Characters of media data, which is charged per picture, not per byte. */
  readonly mediaChars: number
}

type Deferred = ReadonlyMap<JsonValue | undefined, JsonObject>

/** Marks are not content: the prefix is the same with or without them. */
function strip(value: JsonValue, deferred: Deferred): Stripped {
  if (!isObject(value)) return { value, keepMs: undefined, marks: 0, images: 0, mediaChars: 0 }
  const { cache_control, ...rest } = loaded(value, deferred)
  const inner = value.type === "tool_result" ? listIn(value.content).map((part) => strip(part, deferred)) : []
  const media = mediaIn(value)
  return {
    value: inner.length === 0 ? rest : { ...rest, content: inner.map((part) => part.value) },
    keepMs: markOf(cache_control) ?? inner.findLast((part) => part.keepMs !== undefined)?.keepMs,
    marks: (cache_control ? 1 : 0) + inner.reduce((sum, part) => sum + part.marks, 0),
    images: (media === 0 ? 0 : 1) + inner.reduce((sum, part) => sum + part.images, 0),
    mediaChars: media + inner.reduce((sum, part) => sum + part.mediaChars, 0),
  }
}

/** What the model reads where a result refers to a tool. */
const loaded = (block: JsonObject, deferred: Deferred): JsonObject =>
  block.type === "tool_reference" ? { ...block, definition: deferred.get(block.tool_name) ?? null } : block

const isDeferred = (tool: JsonValue): tool is JsonObject => isObject(tool) && tool.defer_loading === true

function mediaIn({ type, source }: JsonObject): number {
  if (type !== "image" && type !== "document") return 0
  return isObject(source) && source.type === "base64" && typeof source.data === "string" ? source.data.length : 0
}

function markOf(mark: JsonValue | undefined): number | undefined {
  if (!isObject(mark)) return undefined
  return (mark.ttl === "1h" ? 60 : 5) * minutes
}
