/** Asks about a call that nothing allows: a hook that answers for the user, then the user. */

import { type Call, type HookAnswer, type Next, withInput } from "#agent/words/middleware.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import { type Answer, offeredRules, type QuestionAsk, withdrawnAs } from "#agent/words/question.ts"
import { complained, interrupted, type Outcome } from "#agent/words/tool.ts"
import { permissionQuestion, whatIsAtRisk, whatItWouldDo } from "./ask.ts"
import { isLeftOpen, isUnasked, suggestionsFor } from "./hook-answers.ts"
import { type JudgedCall, judgedCall } from "./call.ts"
import type { Conclude } from "./conclude.ts"
import type { Grants } from "./grants.ts"
import type { Judging } from "./judging.ts"
import { leaving } from "./leaving.ts"
import type { PermissionPorts } from "./ports.ts"
import { interruptedWords } from "./say.ts"

export interface Consent {
  /** The answer of a hook instead of the user; undefined leaves it to them. */
  readonly byHook: (call: Call, next: Next) => Promise<Outcome | undefined>
  readonly askFor: (
    call: Call,
    decision: Decision,
    mode: PermissionMode,
    next: Next,
    /** Whether the question stands although this decision allows the call; no when absent. */
    stands?: StillHolds,
  ) => Promise<Outcome>
  readonly permitted: (call: Call, answer: Answer & { kind: "allow" }, next: Next) => Promise<Outcome>
}

export type StillHolds = (decision: Decision) => boolean

export interface ConsentParts {
  readonly ports: PermissionPorts
  readonly grants: Grants
  readonly judging: Judging
  readonly conclude: Conclude
}

export function openConsent(parts: ConsentParts): Consent {
  const { ports, grants, judging, conclude } = parts
  const { judge, suggested, rulesInForce, toJudge } = judging
  const { record, deny, declined, unanswered } = conclude

  async function byHook(call: Call, next: Next): Promise<Outcome | undefined> {
    if (!ports.hook) return undefined
    const answer = await ports.hook(call, suggestionsFor(suggested(call, ports.mode())))
    if (!answer) return undefined
    if (call.signal.aborted) return interrupted(interruptedWords(call.signal), "before")
    if (answer.behavior === "deny")
      return deny(call, { ...byTheHook(answer), behavior: "deny", message: answer.message })
    const changed = answer.updatedInput === undefined ? call : await withInput(call, answer.updatedInput, "a hook")
    if ("isError" in changed) return changed
    if (changed.complaint !== undefined) return complained(changed.complaint)
    const again = judge(changed, ports.mode())
    if (again.behavior === "deny" && !isUnasked(again)) return deny(changed, again)
    // Ask rules and safety checks always mean a person.
    if (again.behavior !== "allow" && !isLeftOpen(judge(changed, "default"))) return undefined
    for (const granted of answer.grants) grants.remember({ rule: granted, destination: "session" })
    record(changed, { ...byTheHook(answer), behavior: "allow", message: `The hook ${answer.name} allowed this call.` })
    return next(judging.permitted(changed, ports.mode()))
  }

  /** The user allowed it. Meanwhile the input, the mode or the rules may have changed, and a denial still counts. */
  async function permitted(
    call: Call,
    answer: Answer & { kind: "allow" },
    next: Next,
    question?: QuestionAsk,
  ): Promise<Outcome> {
    const { updatedInput } = answer
    const changed = updatedInput === undefined ? call : await withInput(call, updatedInput, "the user")
    if ("isError" in changed) return changed
    if (changed.complaint !== undefined) return complained(changed.complaint)
    if (call.signal.aborted) return interrupted(interruptedWords(call.signal), "before")
    const judgedIn = ports.mode()
    const again = judge(changed, judgedIn)
    if (again.behavior === "deny") return deny(changed, again)
    // For later calls: this one is allowed in the mode it was judged in.
    await permitMore(answer, ports, grants, question?.kind === "permission" ? offeredRules(question) : undefined)
    ports.addWords?.(call.callId, answer.words)
    record(changed, { behavior: "allow", reason: { kind: "person" }, message: "The user allowed this call." })
    return next(judging.permitted(changed, judgedIn))
  }

  async function questionAbout(call: Call, decision: Decision, mode: PermissionMode): Promise<QuestionAsk> {
    const judged = judgedCall(toJudge(call))
    const isShown = call.hook?.defers === true || (ports.isShown?.(call.callId) ?? true)
    const [risks, display, change] = await Promise.all([
      whatIsAtRisk(judged, isShown ? ports.countAtRisk : undefined, call.signal),
      isShown ? whatItWouldDo(call) : undefined,
      // Whatever the question is about, allowing it allows the tool as it is now.
      call.tool.change?.(),
    ])
    return permissionQuestion({
      call,
      cwd: ports.cwd(),
      judged,
      decision,
      rules: rulesInForce(),
      mode,
      destinations: grants.destinations,
      risks: [
        ...[...leavingRisk(judged), ...(call.tool.risks?.(call.parsed) ?? [])].map((text) => ({ text })),
        ...risks,
      ],
      exclusions: ports.exclusions ?? [],
      display,
      change,
      suggestions: suggested(call, mode),
      hasAuto: ports.auto !== undefined && !ports.hasFixedMode,
    })
  }

  /** A rule that came while the question waited decides. */
  async function settled(call: Call, asked: Decision, next: Next, stands: StillHolds): Promise<Outcome> {
    const mode = ports.mode()
    const decision = judge(call, mode)
    if (isOpen(decision, stands)) return askFor(call, asked, mode, next, stands)
    switch (decision.behavior) {
      case "allow":
        record(call, decision)
        return next({ ...call, boundary: decision.boundary })
      case "deny":
        return deny(call, decision)
      case "ask":
        return askFor(call, decision, mode, next)
    }
  }

  async function askFor(
    call: Call,
    decision: Decision,
    mode: PermissionMode,
    next: Next,
    stands: StillHolds = () => false,
  ): Promise<Outcome> {
    const { signal } = call
    const answered = await byHook(call, next)
    if (answered) return answered
    const question = await questionAbout(call, decision, mode)
    if (signal.aborted) return interrupted(interruptedWords(signal), "before")
    const answer = await answerTo(parts, call, question, stands)
    if (signal.aborted) return interrupted(interruptedWords(signal), "before")
    if (answer.kind === "unanswered" && answer.why === settledByRule) return settled(call, decision, next, stands)
    switch (answer.kind) {
      case "allow":
        return permitted(call, answer, next, question)
      case "deny":
        return declined(call, answer, question.kind === "permission" ? question.display : undefined)
      case "choices":
      case "elicited":
      case "approve":
        return unanswered(call, "the answer was to another question", mode)
      case "unanswered":
        return unanswered(call, answer.why, mode)
    }
  }

  return { byHook, askFor, permitted }
}

/** Asks, until somebody answers or a new rule does. */
async function answerTo(
  { ports, grants, judging }: ConsentParts,
  call: Call,
  question: QuestionAsk,
  stands: StillHolds,
): Promise<Answer> {
  const covered = new AbortController()
  const withdrawIfSettled = (): void => {
    const decision = judging.judge(call, ports.mode())
    if (decision.behavior !== "ask" && !isOpen(decision, stands)) covered.abort(withdrawnAs(settledByRule))
  }
  const stop = grants.onChange(withdrawIfSettled)
  try {
    return await ports.ask(question, AbortSignal.any([call.signal, covered.signal]))
  } finally {
    stop()
  }
}

const isOpen = (decision: Decision, stands: StillHolds): boolean => decision.behavior === "allow" && stands(decision)

/** What an answer permits beyond its call. */
async function permitMore(
  { mode, folders, grants: answerGrants = [], remember, updates = [] }: Answer & { kind: "allow" },
  ports: Pick<PermissionPorts, "widen" | "update">,
  grants: Grants,
  offered: readonly string[] | undefined,
): Promise<void> {
  for (const grant of remember ? [...answerGrants, remember] : answerGrants) grants.remember(grant, offered)
  if (mode !== undefined || folders) ports.widen?.({ ...(mode !== undefined && { mode }), ...(folders && { folders }) })
  if (updates.length > 0) await ports.update?.(updates)
}

const settledByRule = "a rule that was added meanwhile decides"

/** The first thing to know about a command that leaves the sandbox. */
const leavingRisk = (judged: JudgedCall): readonly string[] =>
  leaving(judged) === undefined ? [] : ["Outside the sandbox it can change any file and reach any host"]

const byTheHook = ({ name }: HookAnswer): Pick<Decision, "reason"> => ({ reason: { kind: "hook", name } })
