/** A line of a session's log as an entry. Lines come from our own workers, so only their form is undone here. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

/** Undefined for what is no entry. */
export function entryOf(line: JsonValue): Entry | undefined {
  if (!isObject(line)) return undefined
  const { uuid, timestamp, parentUuid } = line
  const body = bodyOf(line)
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN
  if (typeof uuid !== "string" || Number.isNaN(at) || !body) return undefined
  return {
    ...(body as unknown as EntryBody),
    uuid,
    parentUuid: typeof parentUuid === "string" ? parentUuid : null,
    at,
  }
}

function bodyOf(line: JsonObject): JsonObject | undefined {
  const own = isObject(line["codewright"]) ? line["codewright"] : {}
  const message = isObject(line["message"]) ? line["message"] : undefined
  switch (line["type"]) {
    case "user":
      return message && userBody(line, message, own)
    case "assistant": {
      const [block] = listIn(message?.["content"])
      if (!message || !isObject(block) || typeof block["type"] !== "string") return undefined
      const { id, model, usage, stop_reason: stopReason } = message
      return {
        kind: "reply",
        messageId: String(id),
        model: String(model),
        block,
        usage: usage ?? null,
        ...(typeof stopReason === "string" && { stopReason }),
        ...(typeof line["requestId"] === "string" && { requestId: line["requestId"] }),
        ...(line["aborted"] === true && { aborted: true }),
      }
    }
    case "attachment":
      return { kind: "attachment", name: "", text: "" }
    case "system":
      return typeof line["subtype"] === "string" ? { ...own, kind: line["subtype"] } : undefined
    default:
      return undefined
  }
}

function userBody(line: JsonObject, message: JsonObject, own: JsonObject): JsonObject {
  const content = blocksIn(message["content"])
  const [first] = content
  if (isObject(first) && first["type"] === "tool_result")
    return {
      ...own,
      kind: "result",
      callId: String(first["tool_use_id"]),
      content: first["content"] ?? "",
      isError: first["is_error"] === true,
      durationMs: typeof own["durationMs"] === "number" ? own["durationMs"] : 0,
    }
  return { ...own, kind: "prompt", content, promptId: String(line["promptId"] ?? line["uuid"]) }
}

const listIn = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

const blocksIn = (content: JsonValue | undefined): readonly JsonValue[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listIn(content)
