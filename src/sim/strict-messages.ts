/** The order of a conversation: roles alternate, and every call is answered once, right away. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkFields, firstRefusal, refuse, type Refusal } from "./refusal.ts"
import { isList, listIn } from "./request.ts"

export function checkMessages(messages: JsonValue | undefined): Refusal {
  if (messages === undefined) return refuse("messages", "field required")
  if (!isList(messages)) return refuse("messages", "must be a list")
  if (messages.length === 0) return refuse("messages", "at least one message is required")
  return firstRefusal([() => checkEach(messages), () => checkTurns(messages), () => checkCalls(messages)])
}

function checkEach(messages: readonly JsonValue[]): Refusal {
  return firstRefusal(
    messages.map((message, index) => () => {
      const place = `messages.${index}`
      if (!isObject(message)) return refuse(place, "must be an object")
      const { role, content } = message
      if (role !== "user" && role !== "assistant") return refuse(`${place}.role`, "must be user or assistant")
      if (typeof content !== "string" && !isList(content))
        return refuse(`${place}.content`, "must be a string or a list of blocks")
      const isLastReply = role === "assistant" && index === messages.length - 1
      if (content.length === 0 && !isLastReply) return refuse(place, "content must not be empty")
      if (role === "assistant" && isThinking(blocksOf(message).at(-1)))
        return refuse(place, "the last block of an assistant message must not be thinking")
      return checkFields(message, place, ["role", "content"])
    }),
  )
}

function checkTurns(messages: readonly JsonValue[]): Refusal {
  if (roleOf(messages[0]) !== "user") return refuse("messages.0.role", "the first message must be from the user")
  const repeated = messages.findIndex((message, index) => index > 0 && roleOf(message) === roleOf(messages[index - 1]))
  if (repeated === -1) return undefined
  // The API joins such messages; ours must arrive joined, because a builder that does not join has lost count.
  return refuse(
    `messages.${repeated}.role`,
    `roles must alternate, but two ${String(roleOf(messages[repeated]))} messages follow`,
  )
}

function checkCalls(messages: readonly JsonValue[]): Refusal {
  const known = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const calls = idsIn(message, "tool_use", "id")
    const results = idsIn(message, "tool_result", "tool_use_id")
    const asked = index === 0 ? [] : idsIn(messages[index - 1], "tool_use", "id")
    const answered = idsIn(messages[index + 1], "tool_result", "tool_use_id")
    const refusal = firstRefusal([
      () => checkDuplicates(calls, known, index),
      () => checkUnanswered(calls, answered, index),
      () => checkStrayResults(results, asked, index),
      () => checkResultsFirst(message, index),
    ])
    if (refusal !== undefined) return refusal
    for (const id of calls) known.add(id)
  }
  return undefined
}

function checkDuplicates(calls: readonly string[], known: ReadonlySet<string>, index: number): Refusal {
  const twice = calls.find((id, at) => known.has(id) || calls.indexOf(id) !== at)
  return twice === undefined ? undefined : refuse(`messages.${index}`, `tool_use ids must be unique; ${twice} is not`)
}

function checkUnanswered(calls: readonly string[], answered: readonly string[], index: number): Refusal {
  const missing = calls.filter((id) => !answered.includes(id))
  if (missing.length === 0) return undefined
  return refuse(
    `messages.${index}`,
    `tool_use without a tool_result in the next message: ${missing.join(", ")}. Each tool_use needs exactly one.`,
  )
}

function checkStrayResults(results: readonly string[], asked: readonly string[], index: number): Refusal {
  const stray = results.find((id) => !asked.includes(id))
  if (stray !== undefined)
    return refuse(`messages.${index}`, `tool_result ${stray} has no tool_use in the message before it`)
  const twice = results.find((id, at) => results.indexOf(id) !== at)
  return twice === undefined
    ? undefined
    : refuse(`messages.${index}`, `tool_use ${twice} has more than one tool_result`)
}

function checkResultsFirst(message: JsonValue | undefined, index: number): Refusal {
  const blocks = blocksOf(message)
  const late = blocks.findIndex(
    ({ type }, at) => type === "tool_result" && blocks[at - 1] && blocks[at - 1]?.type !== type,
  )
  return late === -1
    ? undefined
    : refuse(`messages.${index}.content.${late}`, "tool_result blocks must come before everything else")
}

const isThinking = (block: JsonObject | undefined): boolean =>
  block?.type === "thinking" || block?.type === "redacted_thinking"

const roleOf = (message: JsonValue | undefined): JsonValue | undefined => (isObject(message) ? message.role : undefined)

const blocksOf = (message: JsonValue | undefined): readonly JsonObject[] =>
  isObject(message) ? listIn(message.content).filter(isObject) : []

function idsIn(message: JsonValue | undefined, type: string, field: string): readonly string[] {
  return blocksOf(message).flatMap((block) => {
    const id = block[field]
    return block.type === type && typeof id === "string" ? [id] : []
  })
}
