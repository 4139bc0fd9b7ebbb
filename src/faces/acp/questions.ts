/** Questions of a session go to the editor, under their own ids, and its answers back. */

import { asChoices } from "#agent/words/elicitation.ts"
import type { Event } from "#agent/words/event.ts"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { failed, ok } from "#lib/result.ts"
import type { SessionPort } from "#session/port/session.ts"
import { choiceAnswer, type ChoiceAsk, choiceForm, serverForm } from "#faces/view/forms.ts"
import { elicitationAnswer, permissionAnswer, readParams } from "./params.ts"
import { type PermissionRequest, permissionRequest, planRequest } from "./permission.ts"
import { codes, type Rpc, type RpcError } from "#lib/json-rpc.ts"

export interface EditorQuestions {
  readonly onEvent: (event: Event) => void
  /** Asks one that was open before anybody listened. */
  readonly ask: (question: Question) => void
  readonly close: () => void
}

export interface QuestionParts {
  readonly sessionId: string
  readonly cwd: string
  readonly session: Pick<SessionPort, "submit">
  readonly rpc: Pick<Rpc, "request" | "notify">
  readonly can: { readonly form: boolean; readonly url: boolean }
}

/** `cancelled`: the editor dismissed the question, which ends the turn. */
type EditorAnswer = Result<Answer | "cancelled", RpcError>

export function openQuestions(parts: QuestionParts): EditorQuestions {
  const open = new Map<string, AbortController>()
  const urls = new Set<string>()

  async function put(question: Question): Promise<void> {
    if (open.has(question.id)) return
    const closed = new AbortController()
    open.set(question.id, closed)
    const { id: questionId, digest } = question
    const asked = await answerOf(question, closed.signal)
    open.delete(questionId)
    // Withdrawn, answered elsewhere, or left for another process to answer.
    if (closed.signal.aborted) return
    if (asked.ok && asked.value === "cancelled") return void (await parts.session.submit({ type: "interrupt" }))
    if (!asked.ok && asked.failure.code === codes.cancelled)
      return void (await parts.session.submit({ type: "interrupt" }))
    const answer: Answer =
      asked.ok && asked.value !== "cancelled"
        ? asked.value
        : { kind: "unanswered", why: `the editor did not answer (${asked.ok ? "" : asked.failure.message})` }
    await parts.session.submit({ type: "answer", questionId, answer, digest })
  }

  function answerOf({ id, ask, agent, digest }: Question, signal: AbortSignal): Promise<EditorAnswer> {
    const how: AskingHow = { ...parts, signal, id, meta: { codewright: { questionId: id, digest } } }
    switch (ask.kind) {
      case "permission":
        return byPermission(permissionRequest(ask, agent, { cwd: parts.cwd, hasForms: parts.can.form }), how)
      case "plan":
        return byPermission(planRequest(ask, { cwd: parts.cwd, hasForms: parts.can.form }), how)
      case "choice":
        return parts.can.form ? byForm(ask, how) : byChoosing(ask, how)
      case "elicitation":
        return byServerForm(ask, how)
    }
  }

  async function byServerForm(
    ask: Extract<QuestionAsk, { readonly kind: "elicitation" }>,
    how: AskingHow,
  ): Promise<EditorAnswer> {
    const form = serverForm(ask, parts.can)
    const choices = form ? undefined : asChoices(ask)
    if (!form) return choices ? byChoosing(choices, how) : ok({ kind: "elicited", action: "decline" })
    if (ask.elicitationId !== undefined && form.mode === "url") urls.add(ask.elicitationId)
    const said = await elicit(form, ask.callId, how)
    if (!said.ok) return said
    const { action, content = {} } = said.value
    if (action === "accept") return ok({ kind: "elicited", action, content })
    return ok({ kind: "elicited", action: action === "decline" ? action : "cancel" })
  }

  return {
    onEvent(event) {
      if (event.type === "question_open") void put(event.question)
      if (event.type === "question_close") open.get(event.questionId)?.abort()
      if (event.type === "elicitation_end" && urls.delete(event.elicitationId))
        parts.rpc.notify("elicitation/complete", { elicitationId: event.elicitationId })
    },
    ask: (question) => void put(question),
    close() {
      for (const closed of open.values()) closed.abort()
    },
  }
}

interface AskingHow extends Pick<QuestionParts, "rpc" | "sessionId" | "can"> {
  readonly signal: AbortSignal
  /** Of the question: the request has the same one whichever process asks. */
  readonly id: string
  readonly meta: JsonObject
}

async function byPermission({ toolCall, options }: PermissionRequest, how: AskingHow): Promise<EditorAnswer> {
  const asked = await how.rpc.request(
    "session/request_permission",
    {
      sessionId: how.sessionId,
      toolCall,
      options: options.map(({ id: optionId, name, kind }) => ({ optionId, name, kind })),
      _meta: how.meta,
    },
    how,
  )
  if (!asked.ok) return asked
  const said = readParams(permissionAnswer, asked.value)
  if (!said.ok) return said
  const { outcome, optionId } = said.value.outcome
  if (outcome === "cancelled") return ok("cancelled")
  const option = options.find(({ id }) => id === optionId)
  if (!option) return failed({ code: codes.params, message: `unknown option ${optionId ?? ""}` })
  if (!option.words) return ok(option.answer)
  const question =
    option.kind === "reject_once" ? "What should the model do differently?" : "What should the model know?"
  const words = await askWords(question, String(toolCall.toolCallId), how)
  return ok(words === undefined ? option.answer : option.words(words))
}

/** Undefined if the user changed their mind: the answer stays as it is. */
async function askWords(message: string, toolCallId: string, how: AskingHow): Promise<string | undefined> {
  const properties = { instructions: { type: "string", title: "Instructions" } }
  const said = await elicit(
    {
      mode: "form",
      message,
      requestedSchema: { type: "object", properties, required: ["instructions"] },
    },
    toolCallId,
    { ...how, id: `${how.id}:words` },
  )
  const words = said.ok && said.value.action === "accept" ? said.value.content?.instructions : undefined
  return typeof words === "string" ? words : undefined
}

async function byForm(ask: ChoiceAsk, how: AskingHow): Promise<EditorAnswer> {
  const message = ask.questions.map(({ question }) => question).join("\n")
  const said = await elicit({ mode: "form", message, requestedSchema: choiceForm(ask) }, ask.callId, how)
  if (!said.ok) return said
  if (said.value.action !== "accept") return ok({ kind: "unanswered", why: "the user chose not to answer" })
  const answer = choiceAnswer(ask, said.value.content ?? {})
  return ok(answer ?? { kind: "unanswered", why: "the user left a question without an answer" })
}

/** For editors without forms: one question after the other, each as a permission with its choices. */
async function byChoosing(ask: ChoiceAsk, how: AskingHow): Promise<EditorAnswer> {
  const answers: [string, string][] = []
  for (const [at, { question, options }] of ask.questions.entries()) {
    const request: PermissionRequest = {
      toolCall: { toolCallId: ask.callId, title: question, kind: "other", status: "pending" },
      options: [
        ...options.map(({ label, description }, i) => ({
          id: `choice:${i}`,
          name: description === "" ? label : `${label}: ${description}`,
          kind: "allow_once" as const,
          answer: { kind: "choices", answers: { [question]: label } } as const,
        })),
        {
          id: "none",
          name: "None of these",
          kind: "reject_once",
          answer: { kind: "unanswered", why: "the user chose not to answer" },
        },
      ],
    }
    const said = await byPermission(request, at === 0 ? how : { ...how, id: `${how.id}:${at + 1}` })
    if (!said.ok || said.value === "cancelled" || said.value.kind !== "choices") return said
    answers.push(...Object.entries(said.value.answers))
  }
  return ok({ kind: "choices", answers: Object.fromEntries(answers) })
}

async function elicit(
  form: JsonObject,
  toolCallId: string,
  how: AskingHow,
): Promise<Result<{ readonly action: string; readonly content?: JsonObject }, RpcError>> {
  const asked = await how.rpc.request(
    "elicitation/create",
    { sessionId: how.sessionId, toolCallId, ...form, _meta: how.meta },
    how,
  )
  return asked.ok ? readParams(elicitationAnswer, asked.value) : asked
}
