/** Refuses what the real API refuses, so that a wrong request fails here and not at the provider. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ErrorAnswer } from "./answer.ts"
import { tokensOf, type Segment } from "./measure.ts"
import { maxOutputOf, windowOf } from "./models.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "./refusal.ts"
import { isList, type SimRequest } from "./request.ts"
import { checkContent } from "./strict-content.ts"
import { checkMessages } from "./strict-messages.ts"
import { checkEffort, checkThinking } from "./strict-thinking.ts"
import { checkTools } from "./strict-tools.ts"

/** Names in lower case. */
export type Headers = { readonly [name: string]: string | undefined }

export function checkHeaders(headers: Headers): ErrorAnswer | undefined {
  if (!headers["x-api-key"] && !headers.authorization)
    return {
      status: 401,
      type: "authentication_error",
      message: "No key: send an x-api-key or an authorization header (any value will do here).",
    }
  if (!headers["anthropic-version"])
    return { status: 400, type: "invalid_request_error", message: "anthropic-version: header is required" }
  return undefined
}

/** `purpose` says which fields are required. */
export function checkBody(
  request: SimRequest,
  segments: readonly Segment[],
  { headers, purpose }: { readonly headers: Headers; readonly purpose: "answer" | "count" },
): ErrorAnswer | undefined {
  const { body } = request
  if (body.model === "") return { status: 404, type: "not_found_error", message: "model: the name is empty" }
  const message = firstRefusal([
    () => checkFields(body, "", bodyFields),
    () => checkModel(body),
    () => (purpose === "answer" ? checkMaxTokens(body, request.model) : undefined),
    () => checkThinking(body),
    () => checkEffort(body),
    () => checkTools(body),
    () => checkSystem(body.system),
    () => checkMessages(body.messages),
    () => checkContent(request),
    () => checkMarks(segments),
    () => checkWindow(tokensOf(segments), windowOf(request.model, headers["anthropic-beta"] ?? "")),
  ])
  return message === undefined ? undefined : { status: 400, type: "invalid_request_error", message }
}

const bodyFields: readonly string[] = (
  "model messages max_tokens system tools tool_choice stream thinking metadata temperature top_p top_k stop_sequences " +
  "service_tier container context_management mcp_servers output_config output_format inference_geo speed " +
  "cache_control diagnostics compaction fallbacks fallback_credit_token thread"
).split(" ")
const mostMarks = 4

function checkModel({ model }: JsonObject): Refusal {
  if (model === undefined) return refuse("model", "field required")
  return typeof model === "string" ? undefined : refuse("model", "must be a string")
}

function checkMaxTokens({ max_tokens }: JsonObject, model: string): Refusal {
  if (max_tokens === undefined) return refuse("max_tokens", "field required")
  if (typeof max_tokens !== "number" || !Number.isInteger(max_tokens) || max_tokens < 1)
    return refuse("max_tokens", "must be a whole number of at least 1")
  const most = maxOutputOf(model)
  return max_tokens > most ? refuse("max_tokens", `${max_tokens} > ${most}, the most that ${model} writes`) : undefined
}

function checkSystem(system: JsonValue | undefined): Refusal {
  if (system === undefined || typeof system === "string") return undefined
  if (!isList(system)) return refuse("system", "must be a string or a list of text blocks")
  return firstRefusal(
    system.map((block, index) => () => {
      const place = `system.${index}`
      if (!isObject(block) || block.type !== "text") return refuse(`${place}.type`, "must be text")
      if (typeof block.text !== "string" || block.text.trim() === "")
        return refuse(place, "text blocks must hold more than white space")
      return checkFields(block, place, ["type", "text", "cache_control", "citations"])
    }),
  )
}

function checkMarks(segments: readonly Segment[]): Refusal {
  const marks = segments.reduce((sum, segment) => sum + segment.marks, 0)
  return marks > mostMarks ? `At most ${mostMarks} blocks may carry cache_control; found ${marks}.` : undefined
}

function checkWindow(tokens: number, window: number): Refusal {
  return tokens > window ? `prompt is too long: ${tokens} tokens > ${window} maximum` : undefined
}
