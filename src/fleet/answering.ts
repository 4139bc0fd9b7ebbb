/** Decisions as the answers a session understands. What a client sends is checked with the same words before it is kept. */

import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { type Grant, type GrantDestination, permissionModes } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type Question, type QuestionAsk } from "#agent/words/question.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ApprovalKind } from "#session/port/approval.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import { type AnsweredAsk, fittingAnswer } from "#session/port/answer-kept.ts"
import type { FleetApproval, UserRole } from "./records.ts"
import { writtenRuleProblem } from "./written-rules.ts"

export interface FoundAnswer {
  readonly answer: Answer
  readonly by?: string
}

/** The answer to a question that was decided, if it was. Nobody deciding in time is a no. */
export function answerOf(question: Question, approvals: readonly FleetApproval[]): FoundAnswer | undefined {
  const found = approvals.findLast(({ id, digest }) => id === question.id && digest === question.digest)
  if (found?.state === "expired") return { answer: no("Nobody decided in time.") }
  if (found?.state !== "allowed" && found?.state !== "denied") return undefined
  const fits = fitting(question.ask, found.state === "allowed", found.answer ?? {})
  const answer = fits.ok ? fits.value : no(`The answer did not fit the question: ${fits.failure}`)
  return { answer, ...optional("by", found.decidedBy) }
}

const no = (words: string): Answer & { readonly kind: "deny" } => ({ kind: "deny", words, interrupt: false })

/** What somebody of this role may choose: rules that hold outside of the session are saved by admins only, and only they let everything happen unasked. */
export function offeredTo(role: UserRole, approval: FleetApproval): FleetApproval {
  const { details, kind, action } = approval
  if (kind === "plan")
    return { ...approval, action: { ...action, input: { ...action.input, modes: [...modesFor(role, action.input)] } } }
  if (!details?.destinations) return approval
  return { ...approval, details: { ...details, destinations: placesFor(role, details) } }
}

const modesFor = (role: UserRole, { modes }: JsonObject): readonly string[] =>
  stringsIn(modes).filter((mode) => role === "admin" || mode !== "bypassPermissions")

/** The answer with the mode that a plan continues in: without one it would be the first that is offered to anybody. */
export function withMode(
  role: UserRole,
  { kind, action }: Pick<FleetApproval, "kind" | "action">,
  allows: boolean,
  said: JsonObject,
): JsonObject {
  if (kind !== "plan" || !allows || said["mode"] !== undefined) return said
  return { ...said, mode: modesFor(role, action.input)[0] ?? "default" }
}

const placesFor = (role: UserRole, { destinations = [], folder }: ApprovalDetails): readonly GrantDestination[] =>
  role === "admin" ? destinations : destinations.filter((place) => staysWithin[place].includes(folder ?? "shared"))

/** In which folders a rule that is saved there holds for nobody else. */
const staysWithin: { readonly [place in GrantDestination]: readonly ("own" | "shared")[] } = {
  session: ["own", "shared"],
  "local settings": ["own"],
  "project settings": ["own"],
  "user settings": [],
}

/** Why a rule is not saved where somebody of this role wants it; nothing if it may be. */
export function placeProblem(role: UserRole, { details = {} }: FleetApproval, said: JsonObject): string | undefined {
  const place = remembered[String(said["remember"])]
  if (place === undefined || placesFor(role, details).includes(place)) return undefined
  return `Saving a rule in ${place} needs the role admin, because it would hold for other sessions too. Leave out remember, or send "session".`
}

/** Why a decision cannot be the answer to what is shown; nothing if it can. */
export function decisionProblem(
  { kind, action: { input }, details = {} }: Pick<FleetApproval, "kind" | "action" | "details">,
  allows: boolean,
  said: JsonObject,
): string | undefined {
  const unsaved = savingProblem(details, allows, said)
  if (unsaved !== undefined) return unsaved
  if (kind === "tool") return wishProblem(details, said)
  const ask = askIn(kind, input)
  if (!ask) return undefined
  const fits = fitting(ask, allows, said)
  return fits.ok ? undefined : fits.failure
}

/** What would not be saved although somebody asked for it. */
function savingProblem({ destinations = [] }: ApprovalDetails, allows: boolean, said: JsonObject): string | undefined {
  const { remember, rules, written } = said
  if (remember === undefined)
    return rules === undefined && written === undefined
      ? undefined
      : `${rules === undefined ? "written" : "rules"} needs remember, which says where to save them.`
  if (!allows) return "remember goes with allow: nothing is saved with a denial."
  const offered = Object.keys(remembered).filter((each) => destinations.some((place) => place === remembered[each]))
  if (offered.includes(String(remember))) return undefined
  return offered.length > 0
    ? `remember is one of ${offered.join(", ")}.`
    : "No rule is offered with this action, so leave out remember."
}

/** Whether an answer wants more than was offered with the question. */
function wishProblem({ rules = [], mode, review }: ApprovalDetails, said: JsonObject): string | undefined {
  const unknown = stringsIn(said["rules"]).find((rule) => !rules.includes(rule))
  if (unknown !== undefined) return `This rule is not offered: ${unknown}`
  const wrong = stringsIn(said["written"]).map((rule) => writtenRuleProblem(rule, rules))
  const problem = wrong.find((each) => each !== undefined)
  if (problem !== undefined) return problem
  if (said["mode"] !== undefined && said["mode"] !== mode)
    return mode ? `mode is ${mode}, or left out.` : "No mode is offered with this action."
  return said["keep"] === true && !review ? "Nothing was created that could be kept." : undefined
}

function fitting(ask: DecidedAsk, allows: boolean, said: JsonObject): Result<Answer, string> {
  const answer = answerFrom(ask, allows, said)
  return answer.ok ? fittingAnswer(ask, answer.value) : answer
}

type PermissionAsk = Extract<QuestionAsk, { readonly kind: "permission" }>
type DecidedAsk = PermissionAsk | Exclude<AnsweredAsk, { readonly kind: "permission" }>

function answerFrom(ask: DecidedAsk, allows: boolean, said: JsonObject): Result<Answer, string> {
  const { keep, plan: edited } = said
  if (!allows)
    return ok({
      ...no(wordsIn(said) ?? declined),
      ...(keep === true && { keep }),
      ...(ask.kind === "plan" && typeof edited === "string" && { plan: edited }),
    })
  switch (ask.kind) {
    case "permission": {
      const { input, mode } = said
      const grants = grantsIn(said, ask)
      const offered = ask.suggestions?.mode
      return ok({
        kind: "allow",
        ...(isObject(input) && { updatedInput: input }),
        ...(grants.length > 0 && { grants }),
        ...(mode === offered && optional("mode", offered)),
        ...optional("words", wordsIn(said)),
      })
    }
    case "plan": {
      const { plan, mode = ask.modes[0] ?? "default", wishes, fresh } = said
      const chosen = permissionModes.find((each) => each === mode)
      if (!chosen) return failed(`mode is one of ${ask.modes.join(", ")}.`)
      return ok({
        kind: "approve",
        mode: chosen,
        wishes: stringsIn(wishes),
        ...(typeof plan === "string" && { plan }),
        ...(fresh === true && { fresh }),
        ...optional("words", wordsIn(said)),
      })
    }
    case "choice":
    case "elicitation":
      return ok({ kind: "choices", answers: textsIn(said["answers"]) })
  }
}

/**
 * What is to be allowed from now on: the rules that are named or written, or all that are offered. What is not offered any more is left out: an
 * answer to another question may have made it needless.
 */
function grantsIn({ remember, rules, written }: JsonObject, ask: PermissionAsk): readonly Grant[] {
  const destination = remembered[String(remember)]
  if (destination === undefined || !ask.destinations?.includes(destination)) return []
  const offered = offeredRules(ask)
  const named = rules === undefined && written === undefined ? offered : stringsIn(rules)
  return [
    ...offered.filter((rule) => named.includes(rule)),
    ...stringsIn(written).filter((rule) => writtenRuleProblem(rule, offered) === undefined),
  ].map((rule) => ({ rule, destination }))
}

const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** Where a rule is kept that avoids the same question. */
const remembered: { readonly [remember: string]: GrantDestination } = {
  session: "session",
  project: "project settings",
  user: "user settings",
}

/** Never empty: a denial without words ends the turn, and nobody is there to start another. */
const wordsIn = ({ message, feedback }: JsonObject): string | undefined => {
  const text = typeof message === "string" ? message : feedback
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

const declined = "Do not try the same in another way. Continue without it, or stop and say what you would need."

const textsIn = (value: unknown): { readonly [question: string]: string } =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"))
    : {}

/** What of a question its approval shows; nothing where any decision fits, or only the session can judge it. */
function askIn(kind: ApprovalKind, input: JsonObject): DecidedAsk | undefined {
  if (kind === "plan") {
    const modes = stringsIn(input["modes"]).flatMap((mode) => permissionModes.find((each) => each === mode) ?? [])
    return { kind, modes, wishes: objectsIn(input["wishes"]).map(({ prompt }) => ({ prompt: String(prompt) })) }
  }
  if (kind !== "question") return undefined
  const questions = objectsIn(input["questions"]).map(({ question }) => ({ question: String(question) }))
  return { kind: "choice", questions }
}

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
