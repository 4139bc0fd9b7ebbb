/** Turns a request into the bytes of its body. What did not change since the last request is not serialised again. */

import type { AssistantBlock, Message } from "#agent/words/message.ts"
import type { Request, ServerSearch, SystemPart, ToolSpec } from "#agent/words/model.ts"
import { bytes, json, openMemory, remembered } from "#ground/models/encoding.ts"
import type { Encoded, WireFormat } from "#ground/models/format.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { openPrefixes, type Prefixes } from "#ground/models/prefix.ts"
import type { JsonObject } from "#lib/json.ts"
import { type Loading, resolved } from "#ground/models/references.ts"
import type { ClaudeFacts } from "./releases.ts"
import { thinkingFields } from "./thinking.ts"

const bigWindowBeta = "context-1m-2025-08-07"
const markedMessages = 2

const mark = `,"cache_control":{"type":"ephemeral"}`
const messagesStart = bytes(`"messages":[`)
const comma = bytes(",")
const plainEnd = bytes("}]}")
const markedEnd = bytes(`${mark}}]}`)
const emptyEnd = bytes("]}")
const bodyEnd = bytes("]}")

/** A message as bytes: everything except the end of its last block, where a cache mark may go. */
interface MessageBytes {
  readonly head: Uint8Array
  readonly empty: boolean
}

type Marking = "marked" | "plain"

/** Per way of giving tools to a model. A message must not change its bytes between requests. */
interface RequestWriter {
  readonly message: (message: Message, tools: readonly ToolSpec[], marked: "marked" | "plain") => readonly Uint8Array[]
  readonly tools: (tools: readonly ToolSpec[]) => Uint8Array
  readonly prefixes: Prefixes<readonly ToolSpec[]>
}

function openWritten(loading: Loading, by: string, noteToolId: (id: string) => void, marking: Marking): RequestWriter {
  const pieces = new WeakMap<Message, MessageBytes>()
  const toolLists = new WeakMap<readonly ToolSpec[], Uint8Array>()

  const pieceOf = (message: Message, tools: readonly ToolSpec[]): MessageBytes => {
    const known = pieces.get(message)
    if (known) return known
    const piece = serialise(resolved(message, tools, loading), by)
    pieces.set(message, piece)
    for (const block of message.content) if (block.type === "tool_use") noteToolId(block.id)
    return piece
  }
  const written: RequestWriter["message"] = (message, tools, marked) => {
    const { head, empty } = pieceOf(message, tools)
    return [head, empty ? emptyEnd : marked === "marked" ? markedEnd : plainEnd]
  }
  return {
    message: written,
    tools: (tools) => remembered(toolLists, tools, () => toolsPart(tools, loading, marking)),
    prefixes: openPrefixes((message, tools) => written(message, tools, "plain")),
  }
}

export interface Dialect {
  readonly name: string
  readonly idOf: (model: string) => string
  readonly factsOf: (model: string) => ClaudeFacts
  /** `never` if the server refuses deferred tools, whatever the model could do. */
  readonly deferral?: "never"
  /** `never`: no prompt is marked to be cached. */
  readonly caching?: "never"
  /** Fields that the user adds to every request. */
  readonly extraBody?: JsonObject
  /** Beta features that the user asks for. */
  readonly betas?: readonly string[]
  /** Where a request names its model and what it wants; as Anthropic's own API does when absent. */
  readonly envelope?: (asked: EnvelopeParts) => Envelope
}

export interface EnvelopeParts {
  readonly id: string
  readonly delivery: Request["delivery"]
  readonly betas: readonly string[]
}

export interface Envelope extends Pick<Encoded, "path" | "headers"> {
  /** Of the body, before all others. */
  readonly fields: JsonObject
}

const messagesEnvelope = ({ id, delivery, betas }: EnvelopeParts): Envelope => ({
  fields: { model: id, stream: delivery === "stream" },
  path: "/v1/messages",
  headers: betaHeaders(betas),
})

export const betaHeaders = (betas: readonly string[]): Envelope["headers"] =>
  betas.map((beta) => ["anthropic-beta", beta])

/** Messages, system parts and tools are cached by identity; `noteToolId` receives every call already made. */
export function openRequestEncoder(
  { name, idOf, factsOf, deferral, caching, extraBody, betas = [], envelope = messagesEnvelope }: Dialect,
  noteToolId: (id: string) => void,
): Pick<WireFormat, "encode"> {
  const marking = caching === "never" ? "plain" : "marked"
  const ways: { readonly [loading in Loading]: RequestWriter } = {
    by_reference: openWritten("by_reference", name, noteToolId, marking),
    in_words: openWritten("in_words", name, noteToolId, marking),
  }
  const systems = new WeakMap<readonly SystemPart[], Uint8Array>()
  const memory = openMemory()

  return {
    encode(request) {
      const { id, big } = splitWindow(idOf(request.model))
      const { messages, tools } = request
      const facts = factsOf(request.model)
      const loading = facts.defersTools === true && deferral !== "never" ? "by_reference" : "in_words"
      const way = ways[loading]
      const marked: ReadonlySet<number> = marking === "plain" ? new Set() : lastUserMessages(messages)
      const firstMarked = Math.min(messages.length, ...marked)
      const asked = { id, delivery: request.delivery, betas: big ? [...betas, bigWindowBeta] : betas }
      const { fields, path, headers } = envelope(asked)
      const parts = [
        bytes(settingsOf(request, fields, facts, extraBody)),
        request.serverTools?.length ? toolsPart(tools, loading, marking, request.serverTools) : way.tools(tools),
        remembered(systems, request.system, (system) => systemPart(system, marking)),
        messagesStart,
        way.prefixes.of(messages, firstMarked, tools),
      ]
      for (let index = firstMarked; index < messages.length; index++) {
        const message = messages[index]
        if (!message) continue
        if (index > 0) parts.push(comma)
        parts.push(...way.message(message, tools, marked.has(index) ? "marked" : "plain"))
      }
      parts.push(bodyEnd)
      return {
        ...memory.join(parts),
        path,
        headers,
      }
    },
  }
}

/** What may differ from request to request comes first and is small. */
function settingsOf(
  request: Omit<Request, "messages">,
  envelope: JsonObject,
  facts: ClaudeFacts,
  extraBody: JsonObject | undefined,
): string {
  const fields = {
    ...envelope,
    max_tokens: request.maxTokens,
    ...thinkingFields(request.thinking, facts, request.maxTokens),
    ...extraBody,
  }
  return `${JSON.stringify(fields).slice(0, -1)},`
}

function toolsPart(
  tools: readonly ToolSpec[],
  loading: Loading,
  marking: Marking,
  serverTools: readonly ServerSearch[] = [],
): Uint8Array {
  const specs = tools.filter(({ deferred }) => !deferred).map((tool) => json(definition(tool)))
  const late = tools.filter(({ deferred }) => deferred && loading === "by_reference")
  // The mark stays with what is always there: server tools differ from request to request, and deferred tools are not
  // part of the prefix, and refused with a mark.
  const own = specs.length === 0 ? [] : [joinedWith(specs, marking)]
  const all = [
    ...own,
    ...late.map((tool) => json({ ...definition(tool), defer_loading: true })),
    ...serverTools.map((tool) => json(serverTool(tool))),
  ]
  return bytes(all.length === 0 ? "" : `"tools":[${all.join(",")}],`)
}

const definition = ({ name, description, input_schema }: ToolSpec): JsonObject => ({ name, description, input_schema })

/** The provider refuses an empty list of domains, and both lists together. */
function serverTool({ maxUses, allowedDomains = [], blockedDomains = [] }: ServerSearch): JsonObject {
  return {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: maxUses,
    ...(allowedDomains.length > 0
      ? { allowed_domains: allowedDomains }
      : blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
  }
}

function systemPart(system: readonly SystemPart[], marking: Marking): Uint8Array {
  const blocks = system.filter(({ text }) => text !== "").map(({ text }) => json({ type: "text", text }))
  return bytes(blocks.length === 0 ? "" : `"system":[${joinedWith(blocks, marking)}],`)
}

/** Where marked, the last one carries the mark. */
function joinedWith(objects: readonly string[], marking: Marking): string {
  return marking === "plain" ? objects.join(",") : `${objects.join(",").slice(0, -1)}${mark}}`
}

function serialise(message: Message, by: string): MessageBytes {
  const open = `{"role":"${message.role}","content":[`
  const content = message.role === "user" ? message.content : message.content.flatMap((block) => wireBlocks(block, by))
  const empty = content.length === 0
  const blocks = content.map(json).join(",")
  return { head: bytes(open + (empty ? "" : blocks.slice(0, -1))), empty }
}

/**
 * A block of an answer as the provider takes it back: its own proofs under its own names, and no one else's
 * reasoning.
 */
function wireBlocks(block: AssistantBlock, by: string): readonly object[] {
  switch (block.type) {
    case "text":
      return block.proof ? [{ type: block.type, text: block.text }] : [block]
    case "thinking":
      return block.proof?.by === by
        ? [{ type: block.type, thinking: block.thinking, signature: block.proof.value }]
        : []
    case "redacted_thinking":
      return block.proof.by === by ? [{ type: block.type, data: block.proof.value }] : []
    case "tool_use":
      return block.proof ? [{ type: block.type, id: block.id, name: block.name, input: block.input }] : [block]
  }
}

/** Marks go to the end of this request and of the previous one, so that each extends a cached prefix. */
function lastUserMessages(messages: readonly Message[]): ReadonlySet<number> {
  const marked = new Set<number>()
  for (let index = messages.length - 1; index >= 0 && marked.size < markedMessages; index--) {
    const message = messages[index]
    if (message?.role === "user" && message.content.length > 0) marked.add(index)
  }
  return marked
}
