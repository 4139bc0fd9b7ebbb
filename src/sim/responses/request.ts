/** A Responses request in the terms of Messages, for scenarios and the cache. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { decodeRequest, joined, listIn, type SimRequest } from "#sim/request.ts"

/** Lenient: rejecting bad requests is the job of strict checking. The body is the one that was sent. */
export function decodeResponses(body: JsonObject): SimRequest {
  const items: readonly JsonObject[] =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : listIn(body.input).filter(isObject)
  const isSystem = ({ role }: JsonObject): boolean => role === "system" || role === "developer"
  const request = decodeRequest({
    model: body.model ?? "",
    max_tokens: body.max_output_tokens ?? 0,
    stream: body.stream ?? false,
    // It caches by itself, up to the end of the request.
    cache_control: { type: "ephemeral" },
    system: [...partsOf(body.instructions ?? ""), ...items.filter(isSystem).flatMap(({ content }) => partsOf(content))],
    tools: listIn(body.tools)
      .filter(isObject)
      .map(({ name, description, parameters }) => ({
        name: name ?? "",
        description: description ?? "",
        input_schema: parameters ?? {},
      })),
    messages: joined(items.filter((item) => !isSystem(item)).map(messageOf)),
  })
  return { ...request, thinks: isObject(body.reasoning) && body.reasoning.effort !== "none", sent: body }
}

function messageOf(item: JsonObject): JsonObject {
  switch (item.type) {
    case "function_call":
      return { role: "assistant", content: [callOf(item)] }
    case "function_call_output":
      return {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: item.call_id ?? "", content: partsOf(item.output) }],
      }
    case "reasoning":
      return {
        role: "assistant",
        content: [{ type: "thinking", thinking: "", signature: item.encrypted_content ?? "" }],
      }
    default:
      return { role: item.role === "assistant" ? "assistant" : "user", content: partsOf(item.content) }
  }
}

const callOf = ({ call_id, name, arguments: json }: JsonObject): JsonObject => ({
  type: "tool_use",
  id: call_id ?? "",
  name: name ?? "",
  input: (typeof json === "string" && objectIn(json)) || {},
})

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  return listIn(content)
    .filter(isObject)
    .map((part) => {
      if (typeof part.text === "string") return { type: "text", text: part.text }
      if (typeof part.refusal === "string") return { type: "text", text: part.refusal }
      const url = part.image_url ?? part.file_data ?? ""
      const [, media_type = "", data = ""] =
        /^data:([^;]+);base64,(.*)$/s.exec(typeof url === "string" ? url : "") ?? []
      return { type: part.type === "input_file" ? "document" : "image", source: { type: "base64", media_type, data } }
    })
}
