/** What a client may send, decoded from one line or one object. */

import { type PromptBlock, textOf } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { pastedBlocks, promptBlocks } from "./prompt-blocks.ts"

export interface UserMessage {
  readonly kind: "user"
  readonly content: readonly PromptBlock[]
  /** Chosen by the client; it names the message in what follows. */
  readonly uuid?: string
  /** What of the content was typed, if more was pasted. */
  readonly typed?: string
  /** `text`: nothing in it is a command or a mention, because nobody typed it. */
  readonly as?: "text"
  /** Waits for the next message that is to be answered. */
  readonly isSilent?: true
  readonly priority?: Priority
  /** Who wrote it, in the client's words: a person, if it says nothing. */
  readonly origin?: JsonObject
}

const priorities = ["now", "next", "later"] as const

/** `now`: what runs is interrupted for it. `next`: it goes into the turn that runs. `later`: after all others. */
export type Priority = (typeof priorities)[number]

export interface ControlRequest {
  readonly kind: "request"
  readonly id: string
  readonly subtype: string
  readonly request: JsonObject
}

export type ControlAnswer = { readonly kind: "answer"; readonly id: string } & (
  { readonly ok: true; readonly response: JsonObject } | { readonly ok: false; readonly error: string }
)

export type Inbound =
  | UserMessage
  | ControlRequest
  | ControlAnswer
  | { readonly kind: "cancel"; readonly id: string }
  /** Nothing that concerns us: a sign of life, or a type of a later protocol. */
  | { readonly kind: "other"; readonly type: string }

/** The failure says what is wrong with the line, for whoever wrote the client. */
export function readInbound(text: string): Result<Inbound, string> {
  const value = parsed(text)
  return isObject(value) ? readMessage(value) : failed(`not a JSON object: ${excerpt(text)}`)
}

export function readMessage(value: JsonObject): Result<Inbound, string> {
  switch (value.type) {
    case "user":
      return readUser(value)
    case "control_request":
      return readRequest(value)
    case "control_response":
      return readAnswer(value)
    case "control_cancel_request":
      return typeof value.request_id === "string"
        ? ok({ kind: "cancel", id: value.request_id })
        : failed("a control_cancel_request without a request_id")
    default:
      return typeof value.type === "string"
        ? ok({ kind: "other", type: value.type })
        : failed(`a message without a type: ${excerpt(JSON.stringify(value))}`)
  }
}

function readUser(value: JsonObject): Result<UserMessage, string> {
  const { message, uuid, shouldQuery, client_composed, isSynthetic, origin } = value
  // Only what a person wrote may name commands and files.
  const isMade = client_composed === true || isSynthetic === true || (isObject(origin) && origin.kind !== "human")
  const pasted = pastedBlocks(value.pasted_content)
  if (!isObject(message)) return failed("a user message without a message")
  const content = promptBlocks(message.content)
  if (!content.ok) return failed(`a user message ${content.failure}`)
  return ok({
    kind: "user",
    content: [...content.value, ...pasted],
    ...(pasted.length > 0 && { typed: textOf(content.value) }),
    ...optional("uuid", typeof uuid === "string" && uuid !== "" ? uuid : undefined),
    ...(isMade && { as: "text" as const }),
    ...optional(
      "priority",
      priorities.find((one) => one === value.priority),
    ),
    ...optional("origin", isObject(origin) ? origin : undefined),
    ...(shouldQuery === false && { isSilent: true as const }),
  })
}

function readRequest({ request_id, request }: JsonObject): Result<ControlRequest, string> {
  if (typeof request_id !== "string") return failed("a control_request without a request_id")
  if (!isObject(request) || typeof request.subtype !== "string")
    return failed(`the control_request ${request_id} without a subtype`)
  return ok({ kind: "request", id: request_id, subtype: request.subtype, request })
}

function readAnswer({ response }: JsonObject): Result<ControlAnswer, string> {
  if (!isObject(response) || typeof response.request_id !== "string")
    return failed("a control_response without a request_id")
  const id = response.request_id
  if (response.subtype === "error") {
    const error = typeof response.error === "string" ? response.error : "The client gave no reason."
    return ok({ kind: "answer", id, ok: false, error })
  }
  return ok({ kind: "answer", id, ok: true, response: isObject(response.response) ? response.response : {} })
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

const mostShown = 80

const excerpt = (text: string): string =>
  JSON.stringify(text.length > mostShown ? `${text.slice(0, mostShown)}...` : text)
