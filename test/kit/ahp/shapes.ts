/**
 * The messages of the Agent Host Protocol that a host sends, as version 0.7.0 of its specification defines them: nothing may be missing, and
 * nothing may be there that is not known. Only what this host uses is written down.
 */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import {
  array,
  boolean,
  choice,
  decoded,
  number,
  object,
  omittable,
  type Readable,
  string,
  tagged,
} from "#lib/shape.ts"

const anything = decoded("anything", (value) => (value === undefined ? undefined : { value }))
const text = string().optional()
const origin = object({ clientId: string(), clientSeq: number() })
const message = object({
  text: string(),
  origin: object({ kind: choice(["user", "agent", "tool", "systemNotification"]) }),
})
const words: Readable<object> = decoded("a string or Markdown", (value) =>
  typeof value === "string" || (isObject(value) && typeof value["markdown"] === "string") ? { value } : undefined,
)
const option = object({ id: string(), label: string(), kind: choice(["approve", "deny"]) })
const content = array(object({ type: choice(["text"]), text: string() }))
const confirmed = choice(["not-needed", "user-action", "setting"])
const usage = object({ inputTokens: number(), outputTokens: number(), cacheReadTokens: number(), model: string() })
const result = {
  success: boolean(),
  pastTenseMessage: words,
  content: omittable(content),
  error: object({ message: string() }).optional(),
}
const call = { toolCallId: string(), toolName: string(), displayName: string() }
const input = { invocationMessage: words, toolInput: text }
const toolCall = tagged("status", {
  streaming: call,
  "pending-confirmation": { ...call, ...input, confirmationTitle: omittable(words), options: omittable(array(option)) },
  running: { ...call, ...input, confirmed, selectedOption: option.optional(), content: omittable(content) },
  completed: { ...call, ...input, ...result, confirmed, selectedOption: option.optional() },
  cancelled: {
    ...call,
    ...input,
    reason: choice(["denied", "skipped", "result-denied"]),
    reasonMessage: omittable(words),
    selectedOption: option.optional(),
  },
})
const question = {
  id: string(),
  title: text,
  message: string(),
  options: array(object({ id: string(), label: string(), description: text })),
  allowFreeformInput: boolean().optional(),
}
const request = object({
  id: string(),
  message: text,
  questions: array(tagged("kind", { "single-select": question, "multi-select": question })),
  answers: omittable(anything),
})
const response = choice(["accept", "decline", "cancel"])
const part = tagged("kind", {
  markdown: { id: string(), content: string() },
  reasoning: { id: string(), content: string() },
  toolCall: { toolCall },
  systemNotification: { content: words },
  inputRequest: { request, response: response.optional() },
})
const error = object({ errorType: string(), message: string() })
const turn = { id: string(), startedAt: string(), message, responseParts: array(part), usage: usage.optional() }
const chatSummary = { resource: string(), title: string(), status: number(), modifiedAt: string() }
const chatState = object({
  ...chatSummary,
  turns: array(
    object({
      ...turn,
      duration: number(),
      state: choice(["complete", "cancelled", "error"]),
      error: error.optional(),
    }),
  ),
  activeTurn: object(turn).optional(),
  steeringMessage: object({ id: string(), message }).optional(),
})
const inputNeeded = tagged("kind", {
  chatInput: { id: string(), chat: string(), request },
  toolConfirmation: { id: string(), chat: string(), turnId: string(), toolCall },
})
const about = {
  provider: string(),
  title: string(),
  status: number(),
  workingDirectories: array(string()).optional(),
}
const sessionState = object({
  ...about,
  lifecycle: choice(["creating", "ready", "creationFailed"]),
  activeClients: array(anything),
  chats: array(object(chatSummary)),
  defaultChat: text,
  inputNeeded: array(inputNeeded).optional(),
})
const summary = { resource: string(), createdAt: string(), modifiedAt: string() }
const rootState = object({
  agents: array(object({ provider: string(), displayName: string(), description: string(), models: array(anything) })),
})

const ofCall = { turnId: string(), toolCallId: string() }
const over = { turnId: string(), duration: number() }
const action = tagged("type", {
  "chat/turnStarted": { turnId: string(), startedAt: string(), message },
  "chat/delta": { turnId: string(), partId: string(), content: string() },
  "chat/reasoning": { turnId: string(), partId: string(), content: string() },
  "chat/responsePart": { turnId: string(), part },
  "chat/toolCallStart": { ...ofCall, toolName: string(), displayName: string() },
  "chat/toolCallReady": {
    ...ofCall,
    ...input,
    confirmationTitle: omittable(words),
    options: omittable(array(option)),
    confirmed: confirmed.optional(),
  },
  "chat/toolCallConfirmed": {
    ...ofCall,
    approved: boolean(),
    confirmed: confirmed.optional(),
    reason: choice(["denied", "skipped"]).optional(),
    reasonMessage: omittable(words),
    selectedOptionId: text,
  },
  "chat/toolCallContentChanged": { ...ofCall, content },
  "chat/toolCallComplete": { ...ofCall, result: object(result) },
  "chat/usage": { turnId: string(), usage },
  "chat/turnComplete": over,
  "chat/turnCancelled": over,
  "chat/error": { ...over, error },
  "chat/truncated": { turnId: text },
  "chat/pendingMessageSet": { kind: choice(["steering", "queued"]), id: string(), message },
  "chat/pendingMessageRemoved": { kind: choice(["steering", "queued"]), id: string() },
  "chat/inputRequested": { request },
  "chat/inputAnswerChanged": { requestId: string(), questionId: string(), answer: omittable(anything) },
  "chat/inputCompleted": { requestId: string(), response, answers: omittable(anything) },
  "session/titleChanged": { title: string() },
  "session/chatUpdated": {
    chat: string(),
    changes: object({ title: text, status: number().optional(), modifiedAt: text }),
  },
  "session/inputNeededSet": { request: inputNeeded },
  "session/inputNeededRemoved": { id: string() },
})

const channel = string()
const envelope = object({ channel, action, serverSeq: number(), origin: origin.optional() })
/** A client gets back what it sent, whatever that was. */
const rejected = object({ channel, action: anything, serverSeq: number(), origin, rejectionReason: string() })

const notifications: { readonly [method: string]: Readable<unknown> } = {
  "root/sessionAdded": object({ channel, summary: object({ ...about, ...summary }) }),
  "root/sessionSummaryChanged": object({
    channel,
    session: string(),
    changes: object({ title: text, status: number().optional(), modifiedAt: text }),
  }),
}

const snapshot: Readable<object> = decoded("a snapshot", (value) => {
  if (!isObject(value) || typeof value["resource"] !== "string" || typeof value["fromSeq"] !== "number")
    return undefined
  const { resource, state } = value
  const shape = resource.startsWith("ahp-chat:")
    ? chatState
    : resource.startsWith("ahp-session:")
      ? sessionState
      : rootState
  const read = shape.read(state, "state")
  if (!read.ok) throw new Error(`The state of ${resource}: ${read.complaints.join(" ")}`)
  return { value }
})

const answers: { readonly [method: string]: Readable<unknown> } = {
  initialize: object({
    protocolVersion: string(),
    serverSeq: number(),
    serverInfo: object({ name: string(), version: text, title: text }),
    snapshots: array(snapshot),
  }),
  subscribe: object({ snapshot }),
  listSessions: object({ items: array(object({ ...about, ...summary })), nextCursor: text }),
  reconnect: tagged("type", {
    replay: { actions: array(envelope), missing: array(string()) },
    snapshot: { snapshots: array(snapshot) },
  }),
}

/** What is wrong with a message of the host; undefined if nothing is. `method`: of the request that it answers. */
export function problemIn(given: JsonObject, method: string | undefined): string | undefined {
  const { method: own, params, result: answered } = given
  const read =
    typeof own === "string"
      ? (own === "action" ? (isRejected(params) ? rejected : envelope) : notifications[own])?.read(params, own)
      : method === undefined || answered === undefined
        ? undefined
        : answers[method]?.read(answered, method)
  if (typeof own === "string" && read === undefined) return `A host has no notification ${own}.`
  return read && !read.ok ? `${read.complaints.join(" ")} ${JSON.stringify(given)}` : undefined
}

const isRejected = (params: JsonValue | undefined): boolean =>
  isObject(params) && params["rejectionReason"] !== undefined
