/** Refuses what servers of Chat Completions refuse, the strictest of them. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import type { ErrorAnswer } from "#sim/answer.ts"
import { tokensOf, type Segment } from "#sim/measure.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList, listIn, type SimRequest } from "#sim/request.ts"
import type { Headers } from "#sim/strict.ts"

export function checkChatHeaders({ authorization }: Headers): ErrorAnswer | undefined {
  return /^Bearer \S+$/.test(authorization ?? "")
    ? undefined
    : {
        status: 401,
        type: "invalid_request_error",
        message: "No key: send an authorization header with a bearer token.",
      }
}

const bodyFields: readonly string[] = (
  "model messages max_tokens max_completion_tokens stream stream_options tools tool_choice parallel_tool_calls " +
  "temperature top_p stop seed n user metadata store reasoning_effort reasoning response_format service_tier " +
  "prompt_cache_key verbosity logprobs top_logprobs presence_penalty frequency_penalty logit_bias modalities " +
  "prediction safety_identifier usage provider chat_template_kwargs"
).split(" ")

const window = 200_000

export function checkChat({ sent, model }: SimRequest, segments: readonly Segment[]): ErrorAnswer | undefined {
  const body = sent ?? {}
  const message = firstRefusal([
    () => checkFields(body, "", bodyFields),
    () => (typeof body.model === "string" && model !== "" ? undefined : refuse("model", "must be a name")),
    () => checkLimit(body),
    () =>
      body.stream_options !== undefined && body.stream !== true
        ? refuse("stream_options", "is only allowed when stream is true")
        : undefined,
    () => checkTools(body.tools),
    () => checkMessages(body.messages),
    () =>
      tokensOf(segments) > window ? `prompt is too long: ${tokensOf(segments)} tokens > ${window} maximum` : undefined,
  ])
  return message === undefined ? undefined : { status: 400, type: "invalid_request_error", message }
}

function checkLimit(body: JsonObject): Refusal {
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    return refuse("max_tokens", "cannot be set together with max_completion_tokens")
  const limit = body.max_tokens ?? body.max_completion_tokens
  return limit === undefined || (typeof limit === "number" && Number.isInteger(limit) && limit > 0)
    ? undefined
    : refuse("max_tokens", "must be a whole number of at least 1")
}

function checkTools(tools: JsonValue | undefined): Refusal {
  if (tools === undefined) return undefined
  if (!isList(tools) || tools.length === 0) return refuse("tools", "must be a list with at least one tool")
  const names = new Set<string>()
  return firstRefusal(
    tools.map((tool, index) => () => {
      const place = `tools.${index}`
      if (!isObject(tool) || tool.type !== "function" || !isObject(tool.function))
        return refuse(place, "must be a function")
      const { name, description, parameters } = tool.function
      if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
        return refuse(`${place}.function.name`, "must be letters, digits, _ and -, at most 64")
      if (names.has(name)) return refuse(`${place}.function.name`, `${name} is there twice`)
      names.add(name)
      if (description !== undefined && typeof description !== "string")
        return refuse(`${place}.function.description`, "must be a string")
      if (!isObject(parameters) || parameters.type !== "object")
        return refuse(`${place}.function.parameters`, 'must be a JSON Schema of the type "object"')
      return (
        checkFields(tool, place, ["type", "function"]) ??
        checkFields(tool.function, `${place}.function`, ["name", "description", "parameters", "strict"])
      )
    }),
  )
}

/** Every call is answered at once by its results, and every result answers a call. */
function checkMessages(messages: JsonValue | undefined): Refusal {
  if (!isList(messages) || messages.length === 0) return refuse("messages", "must be a list with at least one message")
  let open = new Set<string>()
  const seen = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`
    if (!isObject(message)) return refuse(place, "must be an object")
    const wrong = checkMessage(message, place)
    if (wrong !== undefined) return wrong
    if (message.role === "tool") {
      const id = message.tool_call_id
      if (typeof id !== "string" || !open.delete(id))
        return refuse(place, `answers the call ${String(id)}, which was not made just before, or is answered already`)
      continue
    }
    if (open.size > 0) return refuse(place, `must answer the call ${[...open][0]} first`)
    const ids = listIn(message.tool_calls).map((call) => (isObject(call) ? String(call.id) : ""))
    const again = ids.find((id, i) => seen.has(id) || ids.indexOf(id) !== i)
    if (again !== undefined) return refuse(`${place}.tool_calls`, `the id ${again} was used before`)
    for (const id of ids) seen.add(id)
    open = new Set(ids)
  }
  return open.size > 0 ? refuse("messages", `the call ${[...open][0]} is not answered`) : undefined
}

const roles: { readonly [role: string]: readonly string[] } = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal", "reasoning_content", "reasoning_details"],
  tool: ["role", "content", "tool_call_id"],
}

function checkMessage(message: JsonObject, place: string): Refusal {
  const role = typeof message.role === "string" ? message.role : ""
  const fields = Object.hasOwn(roles, role) ? roles[role] : undefined
  if (!fields) return refuse(`${place}.role`, "must be system, developer, user, assistant or tool")
  return (
    checkFields(message, place, fields) ??
    checkContent(message, role, place) ??
    (message.tool_calls === undefined ? undefined : checkCalls(message.tool_calls, `${place}.tool_calls`))
  )
}

function checkContent({ content, tool_calls }: JsonObject, role: string, place: string): Refusal {
  if (typeof content === "string") return undefined
  if (content === null && role === "assistant")
    return tool_calls === undefined ? refuse(place, "needs content or tool_calls") : undefined
  if (!isList(content) || content.length === 0) return refuse(`${place}.content`, "must be a string or a list of parts")
  return firstRefusal(
    content.map((part, index) => () => {
      const at = `${place}.content.${index}`
      if (!isObject(part)) return refuse(at, "must be an object")
      if (part.type === "text")
        return typeof part.text === "string"
          ? checkFields(part, at, ["type", "text", "cache_control"])
          : refuse(at, "needs a text")
      if (role !== "user") return refuse(at, `a message of ${role} takes only text`)
      if (part.type === "image_url")
        return isObject(part.image_url) && /^(?:https?:|data:image\/)/.test(String(part.image_url.url))
          ? undefined
          : refuse(at, "needs the address of a picture")
      if (part.type === "file")
        return isObject(part.file) && String(part.file.file_data).startsWith("data:application/pdf;base64,")
          ? undefined
          : refuse(at, "needs the data of a file")
      return refuse(`${at}.type`, "must be text, image_url or file")
    }),
  )
}

function checkCalls(calls: JsonValue, place: string): Refusal {
  if (!isList(calls) || calls.length === 0) return refuse(place, "must be a list with at least one call")
  return firstRefusal(
    calls.map((call, index) => () => {
      const at = `${place}.${index}`
      if (!isObject(call) || call.type !== "function" || !isObject(call.function))
        return refuse(at, "must be a function")
      if (typeof call.id !== "string" || call.id === "" || call.id.length > 40)
        return refuse(`${at}.id`, "must be a string of at most 40 characters")
      const { name, arguments: json } = call.function
      if (typeof name !== "string" || name === "") return refuse(`${at}.function.name`, "must be a name")
      return typeof json === "string" && objectIn(json) !== undefined
        ? undefined
        : refuse(`${at}.function.arguments`, "must be a JSON object as a string")
    }),
  )
}
