/** What clients ask of a chat, as requests to the server's own routes: their rules are the only ones. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { TokenOwner } from "#fleet/records.ts"
import { chosen } from "./asked.ts"
import type { ChatAction, ChatMessage } from "./chat-state.ts"
import type { ActionOrigin, FollowedSession } from "./followed-session.ts"
import type { Shared, ShownDigests } from "./shared.ts"

export interface Dispatching {
  readonly shared: Shared
  readonly session: FollowedSession
  readonly who: TokenOwner
  readonly origin: ActionOrigin
  readonly shown: ShownDigests
}

/** Why it is not done; undefined if it is, and then the action comes back when the session has it. */
export async function dispatchAction(action: JsonObject, about: Dispatching): Promise<string | undefined> {
  switch (action["type"]) {
    case "chat/turnStarted":
      return startTurn(action, about)
    case "chat/turnCancelled":
      return cancelTurn(about)
    case "chat/toolCallConfirmed":
      return confirmCall(action, about)
    case "chat/pendingMessageSet":
      return steer(action, about)
    case "chat/inputAnswerChanged":
      return draftAnswer(action, about)
    case "chat/inputCompleted":
      return answerQuestion(action, about)
    default:
      return `Codewright does not support ${String(action["type"])}.`
  }
}

/** Does it, and expects the action that comes of it. */
async function done(
  { shared, session, who, origin }: Dispatching,
  wish: Parameters<Shared["run"]>[1],
  expected: readonly [ChatAction["type"], string],
): Promise<string | undefined> {
  session.expect(...expected, origin)
  const answered = await shared.run(who, wish)
  const isLate = answered.ok && answered.value.body?.["effective"] === false
  if (answered.ok && !isLate) return undefined
  session.forget(...expected)
  return answered.ok ? "Somebody else has decided already." : answered.failure.message
}

const idOf = ({ session }: Dispatching): string => session.about().id

/** Names that end up in the log and in paths. */
const isName = (value: JsonValue | undefined): value is string =>
  typeof value === "string" && /^[\w-]{1,100}$/.test(value)

async function startTurn({ turnId, message }: JsonObject, about: Dispatching): Promise<string | undefined> {
  const text = textOf(message)
  if (!isName(turnId)) return "turnId may have letters, digits, _ and -."
  if (typeof text !== "string") return text.why
  if (about.session.chat().activeTurn) return "A turn is running. Send a steering message, or cancel it first."
  const expected = ["chat/turnStarted", turnId] as const
  const path = about.shared.takeDraft(idOf(about), about.who)
  if (path === undefined)
    return done(
      about,
      { method: "POST", path: `/api/sessions/${idOf(about)}/messages`, body: { text }, newId: turnId },
      expected,
    )
  about.session.nameFirstTurn(turnId)
  const body = { prompt: text, workspace: { path } }
  const why = await done(about, { method: "POST", path: "/api/sessions", body, newId: idOf(about) }, expected)
  if (why !== undefined) about.shared.draft(idOf(about), path, about.who)
  return why
}

/** Attachments name files that the host would have to read for the client. */
function textOf(message: JsonValue | undefined): string | { readonly why: string } {
  if (!isObject(message) || typeof message["text"] !== "string" || message["text"].trim() === "")
    return { why: "A message needs text." }
  const { text, attachments } = message
  return Array.isArray(attachments) && attachments.length > 0
    ? { why: "Attachments are not supported here. Name the files in the message." }
    : text
}

async function cancelTurn(about: Dispatching): Promise<string | undefined> {
  const turn = about.session.chat().activeTurn
  if (!turn) return "No turn is running."
  const path = `/api/sessions/${idOf(about)}/interrupt`
  return done(about, { method: "POST", path }, ["chat/turnCancelled", turn.id])
}

async function steer({ kind, id, message }: JsonObject, about: Dispatching): Promise<string | undefined> {
  const text = textOf(message)
  if (kind !== "steering") return "Only steering messages are supported. Wait for the turn to end, then send the next."
  if (!isName(id)) return "id may have letters, digits, _ and -."
  if (typeof text !== "string") return text.why
  const said: ChatMessage = { text, origin: { kind: "user" } }
  const path = `/api/sessions/${idOf(about)}/messages`
  const answered = await about.shared.run(about.who, { method: "POST", path, body: { text }, newId: id })
  if (!answered.ok) return answered.failure.message
  about.session.add({ type: "chat/pendingMessageSet", kind, id, message: said }, about.origin)
  return undefined
}

/**
 * A confirmation names a call, not what was shown of it. The options that we send name that too, and a client that chooses none of them is
 * taken at its word only if it was never shown anything else.
 */
async function confirmCall(action: JsonObject, about: Dispatching): Promise<string | undefined> {
  const { toolCallId, approved, selectedOptionId, editedToolInput } = action
  if (typeof toolCallId !== "string" || typeof approved !== "boolean") return "toolCallId and approved are needed."
  const open = about.session.openQuestion(toolCallId)
  if (!open) return "This call does not wait for a decision."
  if (editedToolInput !== undefined) return "The input of a call cannot be edited here. Deny it and say what to change."
  const choice = typeof selectedOptionId === "string" ? chosen(selectedOptionId) : undefined
  if (selectedOptionId !== undefined && !choice) return "This option was not offered."
  const [only, ...others] = about.shown.get(toolCallId) ?? []
  const digest = choice?.digest ?? (others.length === 0 ? only : undefined)
  const wanted = choice?.decision ?? (approved ? "allow" : "deny")
  if (digest !== open.digest || (wanted === "deny") === approved)
    return "What was shown is not what would be done now. Look again, and choose one of the options."
  const message = wordsOf(action)
  const said = approved || message === undefined ? {} : { message }
  const session = `/api/sessions/${idOf(about)}`
  const expected = ["chat/toolCallConfirmed", toolCallId] as const
  if (open.kind === "plan")
    return done(
      about,
      approved
        ? { method: "POST", path: `${session}/plan/approve`, body: { digest } }
        : { method: "POST", path: `${session}/plan/reject`, body: { digest, feedback: message ?? "Plan again." } },
      expected,
    )
  const body = {
    digest,
    decision: approved ? "allow" : "deny",
    ...(wanted === "session" && { remember: "session" }),
    ...said,
  }
  return done(about, { method: "POST", path: `${session}/approvals/${open.id}`, body }, expected)
}

/** What the model should do instead. */
function wordsOf({ userSuggestion, reasonMessage }: JsonObject): string | undefined {
  const text = isObject(userSuggestion) ? userSuggestion["text"] : reasonMessage
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

function draftAnswer({ requestId, questionId, answer }: JsonObject, about: Dispatching): string | undefined {
  if (typeof requestId !== "string" || typeof questionId !== "string" || !about.session.openQuestion(requestId))
    return "This question does not wait for an answer."
  const draft = isObject(answer) ? { answer } : {}
  about.session.add({ type: "chat/inputAnswerChanged", requestId, questionId, ...draft }, about.origin)
  return undefined
}

async function answerQuestion(action: JsonObject, about: Dispatching): Promise<string | undefined> {
  const { requestId, response } = action
  const open = typeof requestId === "string" ? about.session.openQuestion(requestId) : undefined
  if (typeof requestId !== "string" || !open) return "This question does not wait for an answer."
  const { id, digest } = open
  const session = `/api/sessions/${idOf(about)}`
  const expected = ["chat/inputCompleted", requestId] as const
  if (response !== "accept") {
    const body = { digest, decision: "deny" }
    return done(about, { method: "POST", path: `${session}/approvals/${id}`, body }, expected)
  }
  const part = about.session
    .chat()
    .activeTurn?.responseParts.find((each) => each.kind === "inputRequest" && each.request.id === requestId)
  const drafted = part?.kind === "inputRequest" ? (part.request.answers ?? {}) : {}
  const answersByQuestion = { ...drafted, ...(isObject(action["answers"]) ? action["answers"] : {}) }
  const answers = Object.fromEntries(
    Object.entries(answersByQuestion).flatMap(([question, each]) => {
      const text = answerText(each)
      return text === undefined ? [] : [[question, text]]
    }),
  )
  return done(about, { method: "POST", path: `${session}/answers/${id}`, body: { digest, answers } }, expected)
}

/** Several choices are one answer of ours, as in the terminal. */
function answerText(answer: JsonValue): string | undefined {
  const value = isObject(answer) ? answer["value"] : undefined
  if (!isObject(value)) return undefined
  const chosenValues = Array.isArray(value["value"]) ? value["value"] : [value["value"]]
  const freeform = Array.isArray(value["freeformValues"]) ? value["freeformValues"] : []
  const texts = [...chosenValues, ...freeform].filter((each) => typeof each === "string" && each !== "")
  return texts.length === 0 ? undefined : texts.join(", ")
}
