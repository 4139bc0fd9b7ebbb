/** A chat completion request in the terms of Messages, for scenarios and the cache. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { decodeRequest, joined, listIn, type SimRequest } from "#sim/request.ts"

/** Lenient: rejecting bad requests is the job of strict checking. The body is the one that was sent. */
export function decodeChat(body: JsonObject): SimRequest {
  const list = listIn(body.messages).filter(isObject)
  const isSystem = ({ role }: JsonObject): boolean => role === "system" || role === "developer"
  const messages = joined(list.filter((message) => !isSystem(message)).map(messageOf))
  const request = decodeRequest({
    model: body.model ?? "",
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? 0,
    stream: body.stream ?? false,
    system: list.filter(isSystem).flatMap(({ content }) => partsOf(content)),
    tools: listIn(body.tools).flatMap((tool) => {
      const { name, description, parameters } = isObject(tool) && isObject(tool.function) ? tool.function : {}
      return typeof name === "string" ? [{ name, description: description ?? "", input_schema: parameters ?? {} }] : []
    }),
    messages,
  })
  return { ...request, thinks: body.reasoning_effort !== undefined || isObject(body.reasoning), sent: body }
}

function messageOf(message: JsonObject): JsonObject {
  const { role, content } = message
  if (role === "tool")
    return {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: message.tool_call_id ?? "", content: partsOf(content) }],
    }
  if (role !== "assistant") return { role: "user", content: partsOf(content) }
  const calls = listIn(message.tool_calls).filter(isObject)
  return {
    role: "assistant",
    content: [
      ...partsOf(content),
      ...calls.map(({ id, function: called }) => ({
        type: "tool_use",
        id: id ?? "",
        name: isObject(called) ? (called.name ?? "") : "",
        input: (isObject(called) && typeof called.arguments === "string" && objectIn(called.arguments)) || {},
      })),
    ],
  }
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  return listIn(content)
    .filter(isObject)
    .map((part) => {
      const mark = part.cache_control === undefined ? {} : { cache_control: part.cache_control }
      if (part.type === "text") return { type: "text", text: part.text ?? "", ...mark }
      const url = isObject(part.image_url) ? part.image_url.url : isObject(part.file) ? part.file.file_data : ""
      const [, media_type = "", data = ""] =
        /^data:([^;]+);base64,(.*)$/s.exec(typeof url === "string" ? url : "") ?? []
      return {
        type: part.type === "file" ? "document" : "image",
        source: { type: "base64", media_type, data },
        ...mark,
      }
    })
}
