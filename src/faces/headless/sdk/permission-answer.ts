/** What a client answers to a question, as an answer that the session can use. Permissions decide what it comes to. */

import type { PermissionUpdate } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { readUpdates } from "#session/port/permission-update.ts"

export function clientAnswer(ask: QuestionAsk, said: JsonObject): Answer {
  if (ask.kind === "elicitation") return elicited(said)
  const { behavior, message, interrupt } = said
  const words = typeof message === "string" && message !== "" ? message : undefined
  if (behavior === "deny") return { kind: "deny", ...optional("words", words), interrupt: interrupt === true }
  if (behavior !== "allow") return unreadable("the client's answer has no behavior")
  const input = isObject(said.updatedInput) ? said.updatedInput : undefined
  const updates = readUpdates(said.updatedPermissions)
  if (!updates.ok) return unreadable(`the client's answer was not used: ${updates.failure}`)
  switch (ask.kind) {
    case "permission":
      return allowed(ask, input, updates.value)
    case "choice":
      return { kind: "choices", answers: chosen(input) }
    case "plan":
      return approved(ask, input, updates.value)
  }
}

const unreadable = (why: string): Answer => ({ kind: "unanswered", why })

function allowed(
  ask: Extract<QuestionAsk, { readonly kind: "permission" }>,
  input: JsonObject | undefined,
  updates: readonly PermissionUpdate[],
): Answer {
  const isChanged = input !== undefined && JSON.stringify(input) !== JSON.stringify(ask.input)
  return { kind: "allow", ...(isChanged && { updatedInput: input }), ...(updates.length > 0 && { updates }) }
}

const modeIn = (updates: readonly PermissionUpdate[]) => updates.findLast((update) => update.kind === "mode")?.mode

/** The question's text is the name of its answer; several choices may come as a list. */
function chosen(input: JsonObject | undefined): { readonly [question: string]: string } {
  const answers = isObject(input?.answers) ? input.answers : {}
  return Object.fromEntries(
    Object.entries(answers).flatMap(([question, answer]) => {
      if (typeof answer === "string") return [[question, answer]]
      return Array.isArray(answer) ? [[question, answer.map(String).join(", ")]] : []
    }),
  )
}

/** A yes is a yes to all that the client was shown, unless it sends something else back. */
function approved(
  ask: Extract<QuestionAsk, { readonly kind: "plan" }>,
  input: JsonObject | undefined,
  updates: readonly PermissionUpdate[],
): Answer {
  const wanted = modeIn(updates)
  const mode = ask.modes.find((offered) => offered === wanted) ?? ask.modes[0] ?? "default"
  const offered = ask.wishes.flatMap(({ prompt, covers }) => (covers === undefined ? [] : [prompt]))
  const kept = Array.isArray(input?.allowedPrompts)
    ? input.allowedPrompts.flatMap((one) => (isObject(one) && typeof one.prompt === "string" ? [one.prompt] : []))
    : input === undefined
      ? offered
      : []
  const plan = typeof input?.plan === "string" && input.plan !== ask.plan ? input.plan : undefined
  return {
    kind: "approve",
    mode,
    ...optional("plan", plan),
    wishes: offered.filter((prompt) => kept.includes(prompt)),
  }
}

function elicited({ action, content }: JsonObject): Answer {
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    return { kind: "unanswered", why: "the client's answer has no action" }
  return { kind: "elicited", action, ...optional("content", isObject(content) ? content : undefined) }
}
