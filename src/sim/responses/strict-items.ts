/** What the Responses API refuses about the items of a conversation: their shapes, their ids, and what must follow what. */

import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import type { ErrorAnswer } from "#sim/answer.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "#sim/refusal.ts"
import { isList } from "#sim/request.ts"
import { bad } from "./bad-request.ts"
import { isReadable } from "./encrypted.ts"

export function checkItems({ input, store }: JsonObject): ErrorAnswer | undefined {
  if (typeof input === "string") return undefined
  if (!isList(input) || input.length === 0) return bad("input: must be a string or a list with at least one item")
  const ids = new Set<string>()
  const open = new Set<string>()
  const made = new Set<string>()
  for (const [index, item] of input.entries()) {
    const place = `input[${index}]`
    if (!isObject(item)) return bad(refuse(place, "must be an object"))
    const wrong = checkItem(item, place)
    if (wrong !== undefined) return bad(wrong)
    if (typeof item.id === "string") {
      if (ids.has(item.id)) return bad(`Duplicate item found with id ${item.id}.`, { param: "input" })
      ids.add(item.id)
    }
    if (item.type === "function_call") {
      const id = String(item.call_id)
      if (made.has(id)) return bad(refuse(`${place}.call_id`, `${id} was used before`))
      made.add(id)
      open.add(id)
    }
    if (item.type === "function_call_output" && !open.delete(String(item.call_id)))
      return bad(`No tool call found for function call output with call_id ${String(item.call_id)}.`, {
        param: "input",
      })
    const broken = item.type === "reasoning" ? checkReasoningItem(item, input[index + 1], store !== false) : undefined
    if (broken) return broken
  }
  const [left] = open
  return left === undefined ? undefined : bad(`No tool output found for function call ${left}.`, { param: "input" })
}

/** It must be readable without anything stored, and lead to something. */
function checkReasoningItem(item: JsonObject, next: JsonValue | undefined, isStored: boolean): ErrorAnswer | undefined {
  const id = String(item.id)
  const { encrypted_content: encrypted } = item
  if (typeof encrypted !== "string")
    return bad(
      `Item with id '${id}' not found.${isStored ? "" : " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."}`,
      { status: 404, param: "input" },
    )
  if (!isReadable(id, encrypted))
    return bad(`The encrypted content of item '${id}' could not be verified.`, { code: "invalid_encrypted_content" })
  const leads = isObject(next) && (next.type === "reasoning" || next.type === "function_call" || isSaid(next))
  return leads
    ? undefined
    : bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: "input" })
}

const isSaid = ({ type, role }: JsonObject): boolean =>
  (type === undefined || type === "message") && role === "assistant"

const idPrefixes: { readonly [type: string]: string } = { message: "msg", function_call: "fc", reasoning: "rs" }

function checkItem(item: JsonObject, place: string): Refusal {
  const type = item.type ?? "message"
  const prefix = typeof type === "string" ? idPrefixes[type] : undefined
  if (prefix !== undefined && item.id !== undefined && !(typeof item.id === "string" && item.id.startsWith(prefix)))
    return refuse(`${place}.id`, `must begin with ${prefix}`)
  switch (type) {
    case "message":
      return checkMessage(item, place)
    case "function_call":
      return checkCall(item, place)
    case "function_call_output":
      return checkOutput(item, place)
    case "reasoning":
      return checkReasoning(item, place)
    default:
      return refuse(`${place}.type`, "must be message, function_call, function_call_output or reasoning")
  }
}

function checkMessage(item: JsonObject, place: string): Refusal {
  const { role, content, phase } = item
  if (!["user", "assistant", "system", "developer"].includes(String(role)))
    return refuse(`${place}.role`, "must be user, assistant, system or developer")
  const isAnswer = role === "assistant"
  const fields = ["type", "id", "role", "content", "status", ...(isAnswer ? ["phase"] : [])]
  if (phase !== undefined && phase !== null && phase !== "commentary" && phase !== "final_answer")
    return refuse(`${place}.phase`, "must be commentary or final_answer")
  return (
    checkFields(item, place, fields) ??
    (isAnswer ? checkAnswer(content, `${place}.content`) : checkParts(content, `${place}.content`))
  )
}

function checkAnswer(content: JsonValue | undefined, place: string): Refusal {
  if (typeof content === "string") return undefined
  if (!isList(content) || content.length === 0) return refuse(place, "must be a string or a list of parts")
  return firstRefusal(
    content.map((part, index) => () => {
      const at = `${place}[${index}]`
      if (!isObject(part)) return refuse(at, "must be an object")
      if (part.type === "output_text")
        return typeof part.text === "string"
          ? checkFields(part, at, ["type", "text", "annotations", "logprobs"])
          : refuse(`${at}.text`, "must be a string")
      if (part.type === "refusal")
        return typeof part.refusal === "string" ? undefined : refuse(`${at}.refusal`, "must be a string")
      return refuse(`${at}.type`, "must be output_text or refusal")
    }),
  )
}

function checkParts(content: JsonValue | undefined, place: string): Refusal {
  if (typeof content === "string") return undefined
  if (!isList(content) || content.length === 0) return refuse(place, "must be a string or a list of parts")
  return firstRefusal(content.map((part, index) => () => checkPart(part, `${place}[${index}]`)))
}

function checkPart(part: JsonValue, at: string): Refusal {
  if (!isObject(part)) return refuse(at, "must be an object")
  switch (part.type) {
    case "input_text":
      return typeof part.text === "string"
        ? checkFields(part, at, ["type", "text", "prompt_cache_breakpoint"])
        : refuse(`${at}.text`, "must be a string")
    case "input_image":
      if (!["auto", "low", "high", "original", "undefined"].includes(String(part.detail)))
        return refuse(`${at}.detail`, "must be auto, low, high or original")
      return /^(?:https?:|data:image\/[a-z]+;base64,)/.test(String(part.image_url))
        ? checkFields(part, at, ["type", "image_url", "detail", "prompt_cache_breakpoint"])
        : refuse(`${at}.image_url`, "must be the address of a picture")
    case "input_file":
      return checkFile(part, at)
    default:
      return refuse(`${at}.type`, "must be input_text, input_image or input_file")
  }
}

function checkFile(part: JsonObject, at: string): Refusal {
  const { file_data, file_url, filename } = part
  if ((file_data === undefined) === (file_url === undefined)) return refuse(at, "needs one of file_data and file_url")
  if (file_url !== undefined && !/^https?:/.test(String(file_url)))
    return refuse(`${at}.file_url`, "must be an address")
  if (file_data !== undefined && typeof filename !== "string") return refuse(`${at}.filename`, "is required")
  if (file_data !== undefined && !String(file_data).startsWith("data:application/pdf;base64,"))
    return refuse(`${at}.file_data`, "must be the data of a file")
  return checkFields(part, at, ["type", "file_data", "file_url", "filename", "detail", "prompt_cache_breakpoint"])
}

const isCallId = (value: JsonValue | undefined): boolean =>
  typeof value === "string" && value !== "" && value.length <= 64

function checkCall(item: JsonObject, place: string): Refusal {
  if (!isCallId(item.call_id)) return refuse(`${place}.call_id`, "must be a string of at most 64 characters")
  if (typeof item.name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(item.name))
    return refuse(`${place}.name`, "must be letters, digits, _ and -, at most 64")
  if (typeof item.arguments !== "string" || objectIn(item.arguments) === undefined)
    return refuse(`${place}.arguments`, "must be a JSON object as a string")
  return checkFields(item, place, ["type", "id", "call_id", "name", "arguments", "status", "namespace", "caller"])
}

function checkOutput(item: JsonObject, place: string): Refusal {
  if (!isCallId(item.call_id)) return refuse(`${place}.call_id`, "must be a string of at most 64 characters")
  return (
    checkFields(item, place, ["type", "id", "call_id", "output", "status", "caller", "name", "namespace"]) ??
    checkParts(item.output, `${place}.output`)
  )
}

function checkReasoning(item: JsonObject, place: string): Refusal {
  if (typeof item.id !== "string" || item.id === "") return refuse(`${place}.id`, "must be a string")
  if (!isList(item.summary)) return refuse(`${place}.summary`, "is required")
  const wrong = item.summary.findIndex(
    (part) => !isObject(part) || part.type !== "summary_text" || typeof part.text !== "string",
  )
  if (wrong >= 0) return refuse(`${place}.summary[${wrong}]`, "must be a summary_text")
  if (isList(item.content) && item.content.length > 0)
    return refuse(`${place}.content`, "array too long: expected an array with maximum length 0")
  return checkFields(item, place, ["type", "id", "summary", "content", "encrypted_content", "status"])
}
