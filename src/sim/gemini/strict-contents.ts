/** The conversation as the Gemini API demands it: turns alternate, each call is answered in order, and calls are signed. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList, listIn } from "#sim/request.ts"
import { isThirdOrLater } from "./names.ts"
import { partsOf, turnsOf } from "./request.ts"
import { isSigned } from "./signature.ts"

export function checkContents(contents: JsonValue | undefined, model: string): Refusal {
  if (!isList(contents) || contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified"
  const turns = turnsOf(contents)
  return firstRefusal([
    ...contents.map((content, index) => () => checkContent(content, `contents[${index}]`, model)),
    () => checkTurns(turns),
    ...turns.map((_, index) => () => checkAnswers(turns, index)),
    () => (isThirdOrLater(model) ? checkSigned(turns) : undefined),
  ])
}

function checkContent(content: JsonValue, place: string, model: string): Refusal {
  if (!isObject(content)) return refuse(place, "must be an object")
  const { role, parts } = content
  if (role !== "user" && role !== "model") return "Please use a valid role: user, model."
  if (!isList(parts) || parts.length === 0)
    return `* GenerateContentRequest.${place}.parts: contents.parts must not be empty.`
  return (
    checkFields(content, place, ["role", "parts"]) ??
    firstRefusal(parts.map((part, index) => () => checkPart(part, `${place}.parts[${index}]`, { role, model })))
  )
}

const kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse"]

function checkPart(part: JsonValue, place: string, of: { readonly role: string; readonly model: string }): Refusal {
  if (!isObject(part)) return refuse(place, "must be an object")
  const presentKinds = kinds.filter((name) => part[name] !== undefined)
  if (presentKinds.length !== 1)
    return refuse(`${place}.data`, "required oneof field 'data' must have one initialized field")
  const extra = checkFields(part, place, [...kinds, "thought", "thoughtSignature", "mediaResolution", "videoMetadata"])
  if (extra !== undefined) return extra
  if (part.thoughtSignature !== undefined && (of.role !== "model" || !isSigned(part)))
    return "Corrupted thought signature."
  switch (presentKinds.join()) {
    case "text":
      return typeof part.text === "string" && (part.text !== "" || of.role === "model")
        ? undefined
        : refuse(`${place}.text`, "must not be empty")
    case "functionCall":
      return of.role === "model" ? checkCall(part.functionCall, place) : refuse(place, "only a model calls functions")
    case "functionResponse":
      return of.role === "user"
        ? checkResponse(part.functionResponse, place, of.model)
        : refuse(place, "only a user answers a call")
    default:
      return of.role === "user" ? checkMedia(part, place) : refuse(place, "a model sends no media here")
  }
}

function checkCall(call: JsonValue | undefined, place: string): Refusal {
  if (!isObject(call)) return refuse(`${place}.function_call`, "must be an object")
  if (typeof call.name !== "string" || call.name === "")
    return refuse(`${place}.function_call.name`, "Name cannot be empty.")
  if (call.args !== undefined && !isObject(call.args)) return refuse(`${place}.function_call.args`, "must be an object")
  return checkFields(call, `${place}.function_call`, ["id", "name", "args"])
}

function checkResponse(response: JsonValue | undefined, place: string, model: string): Refusal {
  const at = `${place}.function_response`
  if (!isObject(response)) return refuse(at, "must be an object")
  if (typeof response.name !== "string" || response.name === "") return refuse(`${at}.name`, "Name cannot be empty.")
  if (!isObject(response.response)) return refuse(`${at}.response`, "must be an object")
  if (response.parts !== undefined && !isThirdOrLater(model)) return "Multimodal function response is not supported."
  return (
    checkFields(response, at, ["id", "name", "response", "parts", "scheduling", "willContinue"]) ??
    firstRefusal(
      listIn(response.parts).map((part, index) => () => {
        if (!isObject(part)) return refuse(`${at}.parts[${index}]`, "must be an object")
        return checkFields(part, `${at}.parts[${index}]`, ["inlineData"]) ?? checkMedia(part, `${at}.parts[${index}]`)
      }),
    )
  )
}

function checkMedia({ inlineData, fileData }: JsonObject, place: string): Refusal {
  const { mimeType, data, fileUri } = isObject(inlineData) ? inlineData : isObject(fileData) ? fileData : {}
  if (!/^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|text\/plain)$/.test(String(mimeType)))
    return `Unsupported MIME type: ${String(mimeType)}`
  if (isObject(fileData))
    return typeof fileUri === "string" ? undefined : refuse(`${place}.file_data.file_uri`, "is required")
  return typeof data === "string" && data !== "" && /^[A-Za-z0-9+/_-]+=*$/.test(data)
    ? undefined
    : `Invalid value at '${place}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`
}

function checkTurns(turns: readonly JsonValue[]): Refusal {
  const roles = turns.map((turn) => (isObject(turn) ? turn.role : undefined))
  if (roles[0] !== "user") return "Please ensure that multiturn requests start with a user turn."
  if (roles.at(-1) !== "user")
    return "Please ensure that multiturn requests end with a user turn or a function response."
  if (turns.some((turn) => partsOf(turn).every(({ text }) => text === "")))
    return "Unable to submit request because it must have a text parameter."
  const twice = roles.findIndex((role, index) => role === roles[index - 1])
  return twice === -1
    ? undefined
    : `Please ensure that multiturn requests alternate between user and model (contents[${twice}]).`
}

/** Each call has a response in the next turn, in order and before all else; and there is no response without a call. */
function checkAnswers(contents: readonly JsonValue[], index: number): Refusal {
  const parts = partsOf(contents[index])
  const responses = parts.flatMap(({ functionResponse }) => (isObject(functionResponse) ? [functionResponse] : []))
  const calls = partsOf(contents[index - 1]).flatMap(({ functionCall }) =>
    isObject(functionCall) ? [functionCall] : [],
  )
  if (responses.length > 0 && calls.length === 0)
    return "Please ensure that function response turn comes immediately after a function call turn."
  if (responses.length !== calls.length)
    return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
  const late = parts.slice(responses.length).some(({ functionResponse }) => functionResponse !== undefined)
  if (late) return `contents[${index}]: function responses must come before other parts`
  const wrong = calls.findIndex((call, at) => call.name !== responses[at]?.name || call.id !== responses[at]?.id)
  return wrong === -1
    ? undefined
    : `contents[${index}].parts[${wrong}].function_response: must answer ${String(calls[wrong]?.name)} (${String(calls[wrong]?.id)})`
}

/** In the current turn, which begins with the last thing that a user said, each step signs its first call. */
function checkSigned(contents: readonly JsonValue[]): Refusal {
  const isSaid = (content: JsonValue): boolean =>
    isObject(content) &&
    content.role === "user" &&
    !partsOf(content).some((part) => part.functionResponse !== undefined)
  for (const [index, content] of contents.entries()) {
    if (index < contents.findLastIndex(isSaid)) continue
    const first = partsOf(content).find(({ functionCall }) => functionCall !== undefined)
    if (first && first.thoughtSignature === undefined)
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${isObject(first.functionCall) ? String(first.functionCall.name) : ""}\`, position ${index + 1}.`
  }
  return undefined
}
