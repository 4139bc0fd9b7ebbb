/** A request of the Gemini API in the terms of Messages, for scenarios and the cache. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { decodeRequest, listIn, type SimRequest } from "#sim/request.ts"
import { geminiPath } from "./names.ts"

/** Lenient: rejecting bad requests is the job of strict checking. */
export function decodeGemini(body: JsonObject, path: string): SimRequest {
  const { model = "", method } = geminiPath(path) ?? {}
  const settings = isObject(body.generationConfig) ? body.generationConfig : {}
  const thinking = isObject(settings.thinkingConfig) ? settings.thinkingConfig : {}
  const request = decodeRequest({
    model,
    max_tokens: settings.maxOutputTokens ?? 0,
    stream: method === "streamGenerateContent",
    system: partsOf(body.systemInstruction).map(({ text }) => ({ type: "text", text: text ?? "" })),
    tools: listIn(body.tools)
      .flatMap((tool) => listIn(isObject(tool) ? tool.functionDeclarations : undefined))
      .filter(isObject)
      .map(({ name, description, parametersJsonSchema, parameters }) => ({
        name: name ?? "",
        description: description ?? "",
        input_schema: parametersJsonSchema ?? parameters ?? {},
      })),
    messages: turnsOf(listIn(body.contents)).map((content, index, all) => ({
      role: isObject(content) && content.role === "model" ? "assistant" : "user",
      content: partsOf(content).flatMap((part, at) => blocksOf(part, { index, at, before: all[index - 1] })),
    })),
    // The service caches by itself.
    cache_control: { type: "ephemeral" },
  })
  return { ...request, thinks: thinking.includeThoughts === true, sent: body }
}

/** What a model said in several contents, as it streamed them, is one turn. */
export function turnsOf(contents: readonly JsonValue[]): readonly JsonValue[] {
  const turns: JsonValue[] = []
  for (const content of contents) {
    const last = turns.at(-1)
    if (isObject(last) && isObject(content) && last.role === "model" && content.role === "model")
      turns[turns.length - 1] = { ...last, parts: [...listIn(last.parts), ...listIn(content.parts)] }
    else turns.push(content)
  }
  return turns
}

export const partsOf = (content: JsonValue | undefined): readonly JsonObject[] =>
  isObject(content) ? listIn(content.parts).filter(isObject) : []

interface PartPlace {
  readonly index: number
  readonly at: number
  readonly before: JsonValue | undefined
}

function blocksOf(part: JsonObject, place: PartPlace): readonly JsonObject[] {
  const { text, thought, functionCall, functionResponse, thoughtSignature } = part
  const signed = thoughtSignature === undefined ? {} : { signature: thoughtSignature }
  if (isObject(functionCall)) {
    const { id, name, args } = functionCall
    const known = id ?? `call_${place.index}_${place.at}`
    return [{ type: "tool_use", id: known, name: name ?? "", input: args ?? {}, ...signed }]
  }
  if (isObject(functionResponse)) return [resultOf(functionResponse, place)]
  if (typeof text === "string") return thought === true ? [] : [{ type: "text", text, ...signed }]
  return mediaOf(part)
}

function resultOf({ id, response, parts }: JsonObject, { index, at, before }: PartPlace): JsonObject {
  const nth = partsOf(before).flatMap((part, place) => (part.functionCall === undefined ? [] : [place]))[at]
  const { output, error } = isObject(response) ? response : {}
  const said = output ?? error ?? response ?? ""
  const text = typeof said === "string" ? said : JSON.stringify(said)
  return {
    type: "tool_result",
    tool_use_id: id ?? `call_${index - 1}_${nth ?? 0}`,
    content: [...(text === "" ? [] : [{ type: "text", text }]), ...listIn(parts).filter(isObject).flatMap(mediaOf)],
    ...(error !== undefined && { is_error: true }),
  }
}

function mediaOf({ inlineData, fileData }: JsonObject): readonly JsonObject[] {
  const { mimeType, data, fileUri } = isObject(inlineData) ? inlineData : isObject(fileData) ? fileData : {}
  if (mimeType === undefined) return []
  const source =
    fileUri === undefined ? { type: "base64", media_type: mimeType, data: data ?? "" } : { type: "url", url: fileUri }
  return [{ type: mimeType === "application/pdf" ? "document" : "image", source }]
}
