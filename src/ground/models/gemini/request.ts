/** Turns a request into the body of `generateContent`. A message becomes bytes once for each model, and keeps them. */

import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  Message,
  ToolResultBlock,
  UserMessage,
} from "#agent/words/message.ts"
import type { Request, SystemPart, ToolSpec } from "#agent/words/model.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"
import { bytes, json, openMemory, remembered } from "#ground/models/encoding.ts"
import type { WireFormat } from "#ground/models/format.ts"
import { splitWindow } from "#ground/models/model-id.ts"
import { openPrefixes, type Prefixes } from "#ground/models/prefix.ts"
import { resolved } from "#ground/models/references.ts"
import type { JsonObject } from "#lib/json.ts"
import { isThirdOrLater, thinkingConfig } from "./generations.ts"
import { fittedSchema } from "./schema.ts"
import { callSignature, standIn, textParts, thoughtParts } from "./signatures.ts"

const bodyEnd = bytes("]}")

/** What the bytes of a message depend on, besides the message. */
interface Reader {
  /** The provider whose signatures go back. */
  readonly by: string
  readonly facts: Capabilities
  readonly isThirdOrLater: boolean
  /** The tool that each call was for: a result must name it. */
  readonly names: ReadonlyMap<string, string>
}

export function openGeminiEncoder(
  dialect: ServerDialect,
  noteToolId: (id: string) => void,
): Pick<WireFormat, "encode"> {
  const names = new Map<string, string>()
  const byModel = new WeakMap<Capabilities, Prefixes<readonly ToolSpec[]>>()
  const toolLists = new WeakMap<readonly ToolSpec[], Uint8Array>()
  const systems = new WeakMap<readonly SystemPart[], Uint8Array>()
  const memory = openMemory()

  function prefixesFor(facts: Capabilities, id: string): Prefixes<readonly ToolSpec[]> {
    const known = byModel.get(facts)
    if (known) return known
    const reader: Reader = { by: dialect.name, facts, isThirdOrLater: isThirdOrLater(id), names }
    const written = new WeakMap<Message, Uint8Array>()
    const made = openPrefixes<readonly ToolSpec[]>((message, tools) => {
      for (const block of message.content) {
        if (block.type !== "tool_use") continue
        noteToolId(block.id)
        names.set(block.id, block.name)
      }
      return [remembered(written, message, () => bytes(json(contentOf(resolved(message, tools, "in_words"), reader))))]
    })
    byModel.set(facts, made)
    return made
  }

  return {
    encode(request) {
      const { messages, tools, system, delivery } = request
      const facts = dialect.factsOf(request.model)
      const { id } = splitWindow(dialect.idOf(request.model))
      const parts = [
        bytes(settingsOf(request, id, facts, dialect)),
        remembered(toolLists, tools, toolsPart),
        remembered(systems, system, systemPart),
        bytes(`"contents":[`),
        prefixesFor(facts, id).of(messages, messages.length, tools),
        bodyEnd,
      ]
      const method = delivery === "stream" ? "streamGenerateContent?alt=sse" : "generateContent"
      return { ...memory.join(parts), path: `/${modelPath(id)}:${method}`, headers: [] }
    },
  }
}

/** `gemini-x`, or a name with its collection, such as `tunedModels/x`. */
const modelPath = (id: string): string =>
  (id.includes("/") ? id : `models/${id}`).split("/").map(encodeURIComponent).join("/")

/** What may differ from request to request comes first and is small. */
function settingsOf(request: Request, id: string, facts: Capabilities, { extraBody }: ServerDialect): string {
  const { maxTokens, thinking } = request
  const fields = {
    generationConfig: { maxOutputTokens: maxTokens, ...thinkingConfig(id, thinking, facts.thinks, maxTokens) },
    ...extraBody,
  }
  return `${JSON.stringify(fields).slice(0, -1)},`
}

function toolsPart(tools: readonly ToolSpec[]): Uint8Array {
  const declarations = tools.flatMap(({ name, description, input_schema: schema, deferred }) =>
    deferred ? [] : [json({ name, description, parametersJsonSchema: fittedSchema(schema) })],
  )
  return bytes(declarations.length === 0 ? "" : `"tools":[{"functionDeclarations":[${declarations.join(",")}]}],`)
}

function systemPart(system: readonly SystemPart[]): Uint8Array {
  const parts = system.flatMap(({ text }) => (text === "" ? [] : [{ text }]))
  return bytes(parts.length === 0 ? "" : `"systemInstruction":${json({ parts })},`)
}

function contentOf(message: Message, reader: Reader): JsonObject {
  const parts = message.role === "user" ? userParts(message, reader) : modelParts(message, reader)
  // A content without parts is refused.
  const some = parts.length > 0 ? parts : [{ text: "[Nothing was said.]" }]
  return { role: message.role === "user" ? "user" : "model", parts: some }
}

function modelParts({ content }: AssistantMessage, { by, isThirdOrLater: signs }: Reader): readonly JsonObject[] {
  let calls = 0
  return content.flatMap((block): readonly JsonObject[] => {
    switch (block.type) {
      case "text":
        return textParts(block.text, block.proof, by)
      case "thinking":
        return thoughtParts(block.thinking, block.proof, by)
      case "redacted_thinking":
        return []
      case "tool_use": {
        const { id, name, input } = block
        const signature = callSignature(block.proof, by)
        const isFirst = calls++ === 0
        const signed = signature === undefined ? standIn(signs && isFirst) : { thoughtSignature: signature }
        return [{ functionCall: { id, name, args: input }, ...signed }]
      }
    }
  })
}

/** Results first, in the order of their calls; then what the user says, with media that no result can carry. */
function userParts({ content }: UserMessage, reader: Reader): readonly JsonObject[] {
  const results: JsonObject[] = []
  const rest: JsonObject[] = []
  for (const block of content) {
    switch (block.type) {
      case "text":
        if (block.text !== "") rest.push({ text: block.text })
        break
      case "tool_result": {
        const { media, ...result } = resultOf(block, reader)
        results.push(result)
        rest.push(...media)
        break
      }
      default:
        rest.push(mediaPart(block))
    }
  }
  return [...results, ...rest]
}

/** The result as one part, and the media that go beside it. */
function resultOf(
  { tool_use_id: id, content, is_error: isError }: ToolResultBlock,
  { names, isThirdOrLater: takesMedia }: Reader,
): { readonly functionResponse: JsonObject; readonly media: readonly JsonObject[] } {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const media = blocks.filter((block) => block.type === "image" || block.type === "document").map(mediaPart)
  const inside = takesMedia ? media.filter((part) => part.inlineData !== undefined) : []
  return {
    functionResponse: {
      id,
      name: names.get(id) ?? "unknown",
      response: { [isError === true ? "error" : "output"]: text },
      ...(inside.length > 0 && { parts: inside }),
    },
    media: media.filter((part) => !inside.includes(part)),
  }
}

/** No animations, unlike other providers. */
const takenTypes: ReadonlySet<string> = new Set(
  "image/png image/jpeg image/webp image/heic image/heif application/pdf".split(" "),
)

function mediaPart(block: ImageBlock | DocumentBlock): JsonObject {
  const { source } = block
  const mimeType = source.type === "base64" ? source.media_type : typeAt(source.url, block.type)
  if (takenTypes.has(mimeType))
    return source.type === "base64"
      ? { inlineData: { mimeType, data: source.data } }
      : { fileData: { mimeType, fileUri: source.url } }
  return { text: `[A file of the type ${mimeType}, which this model cannot read.]` }
}

function typeAt(url: string, kind: "image" | "document"): string {
  if (kind === "document") return "application/pdf"
  const ending = /\.(png|webp|gif|heic|heif)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase()
  return `image/${ending ?? "jpeg"}`
}
