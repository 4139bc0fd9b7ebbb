/** Turns a request into the body of a chat completion. A message becomes bytes once, and keeps them. */

import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  Message,
  ResultContent,
  UserBlock,
  UserMessage,
} from "#agent/words/message.ts"
import type { Request, SystemPart, ToolSpec } from "#agent/words/model.ts"
import { bytes, json, openMemory, remembered } from "#ground/models/encoding.ts"
import type { WireFormat } from "#ground/models/format.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { openModelPrefixes } from "#ground/models/prefix.ts"
import { resolved } from "#ground/models/references.ts"
import { digestOf } from "#lib/digest.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"

const comma = bytes(",")
const bodyEnd = bytes("]}")
const markedMessages = 2
const mark: JsonObject = { cache_control: { type: "ephemeral" } }

export function openChatEncoder(dialect: ServerDialect, noteToolId: (id: string) => void): Pick<WireFormat, "encode"> {
  const toolLists = new WeakMap<readonly ToolSpec[], Uint8Array>()
  const systems = new WeakMap<readonly SystemPart[], Uint8Array>()
  const memory = openMemory()

  const written = (message: Message, tools: readonly ToolSpec[]): readonly JsonObject[] => {
    // Both forms are taken: a server may give an id again that it was sent.
    for (const block of message.content)
      if (block.type === "tool_use") for (const id of [block.id, wireId(block.id, dialect)]) noteToolId(id)
    return chatMessages(resolved(message, tools, "in_words"), dialect)
  }
  const prefixes = openModelPrefixes<Capabilities>((message, tools) =>
    bytes(written(message, tools).map(json).join(",")),
  )

  return {
    encode(request) {
      const { messages, tools, system } = request
      const facts = dialect.factsOf(request.model)
      const marked = dialect.caching === "marks" ? lastMarkable(messages) : messages.length
      const parts = [
        bytes(settingsOf(request, facts, dialect)),
        remembered(toolLists, tools, toolsPart),
        bytes(`"messages":[`),
        remembered(systems, system, (texts) => systemPart(texts, dialect)),
      ]
      const head = prefixes.of(messages, marked, tools, facts)
      if (system.length > 0 && messages.length > 0) parts.push(comma)
      parts.push(head)
      for (let index = marked; index < messages.length; index++) {
        const message = messages[index]
        if (!message) continue
        if (index > 0) parts.push(comma)
        parts.push(bytes(withMark(written(message, tools))))
      }
      parts.push(bodyEnd)
      return { ...memory.join(parts), path: "/chat/completions", headers: [] }
    },
  }
}

/** What may differ from request to request comes first and is small. */
function settingsOf(request: Request, facts: Capabilities, dialect: ServerDialect): string {
  const { id } = splitWindow(dialect.idOf(request.model))
  const isStream = request.delivery === "stream"
  const fields = {
    model: id,
    [dialect.limit ?? "max_tokens"]: request.maxTokens,
    stream: isStream,
    ...(isStream && { stream_options: { include_usage: true } }),
    ...(facts.parallelCalls === "never" && request.tools.length > 0 && { parallel_tool_calls: false }),
    ...effortFields(request, facts, dialect),
    ...dialect.extraBody,
  }
  return `${JSON.stringify(fields).slice(0, -1)},`
}

/** Empty where the model's own default is wanted, or it takes no effort. */
function effortFields(
  { thinking }: Request,
  { thinks: ability }: Capabilities,
  { effort: way }: ServerDialect,
): JsonObject {
  if (way === undefined || ability === undefined) return {}
  const { effort } = thinking
  if (way === "reasoning") {
    if (thinking.type === "off" && ability.stops !== "never") return { reasoning: { enabled: false } }
    return ability.efforts.length === 0 || effort === undefined ? {} : { reasoning: { effort } }
  }
  if (ability.efforts.length === 0) return {}
  if (thinking.type === "off")
    return { reasoning_effort: ability.stops === "never" ? (ability.efforts[0] ?? "low") : "none" }
  return effort === undefined ? {} : { reasoning_effort: effort }
}

function toolsPart(tools: readonly ToolSpec[]): Uint8Array {
  const specs = tools.flatMap(({ name, description, input_schema, deferred }) =>
    deferred ? [] : [json({ type: "function", function: { name, description, parameters: input_schema } })],
  )
  return bytes(specs.length === 0 ? "" : `"tools":[${specs.join(",")}],`)
}

function systemPart(system: readonly SystemPart[], { caching }: ServerDialect): Uint8Array {
  const text = system.flatMap((part) => (part.text === "" ? [] : [part.text])).join("\n\n")
  const content = caching === "marks" ? [{ type: "text", text, ...mark }] : text
  return bytes(system.length === 0 ? "" : json({ role: "system", content }))
}

function chatMessages(message: Message, dialect: ServerDialect): readonly JsonObject[] {
  return message.role === "assistant" ? [assistantMessage(message, dialect)] : userMessages(message, dialect)
}

/** Text, calls, and the reasoning that this provider wants back; nobody else's. */
function assistantMessage({ content }: AssistantMessage, dialect: ServerDialect): JsonObject {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
  const calls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: wireId(block.id, dialect),
            type: "function",
            function: { name: block.name, arguments: json(block.input) },
          },
        ]
      : [],
  )
  return {
    role: "assistant",
    // With calls, some servers refuse an empty text.
    content: text === "" && calls.length > 0 ? null : text,
    ...reasoningOf(content, dialect.name),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function reasoningOf(content: AssistantMessage["content"], by: string): JsonObject {
  const own = content.flatMap((block) =>
    (block.type === "thinking" || block.type === "redacted_thinking") && block.proof?.by === by
      ? [{ text: block.type === "thinking" ? block.thinking : "", value: block.proof.value }]
      : [],
  )
  const details = own.flatMap(({ value }) => (isObject(value) && Array.isArray(value.details) ? value.details : []))
  if (details.length > 0) return { reasoning_details: details }
  const field = own.flatMap(({ value }) => (isObject(value) && typeof value.field === "string" ? [value.field] : []))[0]
  return field === undefined ? {} : { [field]: own.map(({ text }) => text).join("") }
}

/** Results first, each a message of its own; then what the user says, with pictures that no result can carry. */
function userMessages({ content }: UserMessage, dialect: ServerDialect): readonly JsonObject[] {
  const results: JsonObject[] = []
  const rest: JsonObject[] = []
  for (const block of content) {
    if (block.type !== "tool_result") {
      rest.push(partOf(block))
      continue
    }
    const { text, media } = split(block.content)
    const words = text === "" && media.length > 0 ? "What it gave follows in the next message." : text
    results.push({ role: "tool", tool_call_id: wireId(block.tool_use_id, dialect), content: words })
    rest.push(...media.map(partOf))
  }
  if (rest.length === 0) return results.length > 0 ? results : [{ role: "user", content: "" }]
  const only = rest.length === 1 && rest[0]?.type === "text" ? rest[0].text : undefined
  return [...results, { role: "user", content: only ?? rest }]
}

function split(content: ResultContent): {
  readonly text: string
  readonly media: readonly (ImageBlock | DocumentBlock)[]
} {
  if (typeof content === "string") return { text: content, media: [] }
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    media: content.filter((block) => block.type === "image" || block.type === "document"),
  }
}

type Spoken = Exclude<UserBlock, { readonly type: "tool_result" }>

function partOf(block: Spoken): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "image":
      return { type: "image_url", image_url: { url: addressOf(block.source) } }
    case "document":
      // A file is sent along; there is no way to say where it is.
      return block.source.type === "url"
        ? { type: "text", text: `[A document at ${block.source.url}, which was not sent.]` }
        : { type: "file", file: { filename: block.title ?? "document.pdf", file_data: addressOf(block.source) } }
  }
}

const addressOf = (source: MediaSource): string =>
  source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`

/** Other providers' ids can be longer than this one takes. */
function wireId(id: string, { callIds }: ServerDialect): string {
  if (callIds === "short") return /^[a-zA-Z0-9]{9}$/.test(id) ? id : digestOf(id).slice(0, 9)
  return id.length <= 40 ? id : `call_${digestOf(id)}`
}

/** The first of the messages to mark: the end of this request, and of the one before. */
function lastMarkable(messages: readonly Message[]): number {
  let first = messages.length
  let left = markedMessages
  for (let index = messages.length - 1; index >= 0 && left > 0; index--)
    if (messages[index]?.role === "user") {
      first = index
      left--
    }
  return first
}

/** Only what a user says can be marked; the mark is on its last part. */
function withMark(list: readonly JsonObject[]): string {
  return list
    .map((message) => {
      if (message.role === "assistant") return json(message)
      const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content
      const all = Array.isArray(parts) ? parts : []
      const isLast = message === list.at(-1)
      return json({
        ...message,
        content: all.map((part, i) => (isLast && i === all.length - 1 ? { ...part, ...mark } : part)),
      })
    })
    .join(",")
}
