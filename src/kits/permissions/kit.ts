/** The permissions kit: one layer around every call that decides, asks where it must, and records before anything runs. */

import { isDeepStrictEqual } from "node:util"
import type { EntryBody } from "#agent/words/entry.ts"
import { bothOf } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Call, HookAnswer, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision, Grant, PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk, Suggestions } from "#agent/words/question.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import type { LazySight } from "#ground/workspace/shell-sight.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { permissionQuestion, whatIsAtRisk, whatItWouldDo } from "./ask.ts"
import type { Auto } from "./auto.ts"
import { type AskHook, isLeftOpen, isUnasked, suggestionsFor } from "./by-hook.ts"
import { type CallToJudge, judgedCall } from "./call.ts"
import { decide } from "./decide.ts"
import { openCommandRules } from "./command-rules.ts"
import { type Grants, openGrants } from "./grants.ts"
import type { RealPath, Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rule.ts"
import { blockedWords, declinedWords, deedOf, deniedWords, unansweredWords } from "./say.ts"
import { suggestRule } from "./suggest.ts"
import { suggestionsOf } from "./suggestions.ts"

/** A decision as the log keeps it. */
export type DecisionBody = Extract<EntryBody, { readonly kind: "decision" }>
/** What this kit adds to the log. */
export type PermissionBody = Extract<EntryBody, { readonly kind: "decision" | "grant" | "notice" }>

export interface PermissionPorts {
  /** The rules in force now, without what was granted since; another list when they changed. */
  readonly rules: () => readonly PermissionRule[]
  readonly mode: () => PermissionMode
  readonly workspace: () => Workspace
  readonly cwd: () => string
  readonly realPath: RealPath
  /** Reads shell commands; loaded at the first one. Without it none is understood. */
  readonly sight?: LazySight
  /** Brings a question to whoever can answer; `unanswered` when there is nobody or the signal aborts. */
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** Whether anybody would see the question; without it somebody would. What nobody sees is not counted or drawn. */
  readonly canAsk?: () => boolean
  /** Keeps a fact; a decision is kept before the call runs. */
  readonly record: (body: PermissionBody) => void
  /** Writes a rule to a settings file; the failure is a sentence for the person. Without it nothing is granted for good. */
  readonly save?: (grant: Grant) => Result<void, string>
  /** Answers in place of the person where it wants to, or hands on; asked before them, also where nobody is there. */
  readonly hook?: AskHook
  /** Answers in the mode auto; without it the person does. */
  readonly auto?: Auto
  /** Counts what a command would destroy; only given where the folder is trusted, since it asks git. */
  readonly countAtRisk?: CountAtRisk
  /** Rules, as written, that the command of this turn brings along: `allowed-tools`. None when it brings none, or is over. */
  readonly commandRules?: () => readonly string[]
  /** Rules that it denies: `disallowed-tools`. */
  readonly commandDenials?: () => readonly string[]
  /** Permits what an answer permits besides the call: another mode, further folders. */
  readonly widen?: (wider: { readonly mode?: PermissionMode; readonly folders?: readonly string[] }) => void
  /** Rules that are given while someone is asked, where they are shared with another session; of its own when absent. */
  readonly grants?: Grants
}

export function permissionsKit(ports: PermissionPorts): Kit {
  const grants = ports.grants ?? openGrants(ports)
  return {
    name: "permissions",
    middleware: permissionLayer(ports, grants),
    take(entry) {
      if (entry.kind === "grant") grants.take(entry)
      ports.auto?.take?.(entry)
    },
    ...(ports.auto?.conversation && { conversation: ports.auto.conversation }),
  }
}

function permissionLayer(ports: PermissionPorts, grants: Grants): Middleware {
  const brought = openCommandRules(ports)
  let settledFrom: readonly (readonly PermissionRule[])[] = []
  let settled: readonly PermissionRule[] = []

  return async (given, next) => {
    if (runsCommands(given)) await ports.sight?.load()
    const mode = ports.mode()
    const call = declaredWhole(given, mode)
    const decision = judge(call, mode)
    // Nothing will come of it, so nothing is decided but whether it was forbidden.
    if (call.complaint !== undefined && decision.behavior !== "deny") return refused(call.complaint)
    switch (decision.behavior) {
      case "allow":
        record(call, decision)
        return next(decision.reason.kind === "read_only" ? { ...call, onlyReads: true } : boundTo(mode, call))
      case "deny":
        return (isUnasked(decision) && (await byHook(call, next))) || deny(call, decision)
      case "ask":
        return mode === "auto" && decision.reason.kind === "default" && ports.auto
          ? classify(call, decision, ports.auto, next)
          : askFor(call, decision, mode, next)
    }
  }

  function judge(call: Call, mode: PermissionMode): Decision {
    return decide({ ...toJudge(call), mode, rules: rulesInForce(), hook: call.hook })
  }

  function suggested(call: Call, mode: PermissionMode): Suggestions {
    const about = toJudge(call)
    return suggestionsOf({
      judged: judgedCall(about),
      rules: rulesInForce(),
      mode,
      judge(how, folders) {
        const workspace = { ...about.workspace, added: [...about.workspace.added, ...folders] }
        return decide({ ...about, workspace, mode: how, rules: rulesInForce(), hook: call.hook })
      },
    })
  }

  /** Rules are settled again only when there are others. */
  function rulesInForce(): readonly PermissionRule[] {
    const [given, extra] = [grants.rules(), brought()]
    if (given !== settledFrom[0] || extra !== settledFrom[1]) {
      settled = settleRules([...given, ...extra], ports.workspace(), ports.realPath)
      settledFrom = [given, extra]
    }
    return settled
  }

  async function classify(call: Call, decision: Decision, auto: Auto, next: Next): Promise<Outcome> {
    const verdict = await auto.judge(call, rulesInForce())
    if (call.signal.aborted) return interrupted(interruptedWords, "before")
    const { kind, why } = verdict
    switch (kind) {
      case "ask":
        return askFor(call, { ...decision, trace: [...decision.trace, `auto: ask, because ${why}`] }, "auto", next)
      case "block":
        record(call, { behavior: "deny", reason: { kind: "classifier", why }, message: blockedWords(why) })
        return refused(blockedWords(why), { denied: true })
      case "allow": {
        // While the classifier thought, the mode or the rules may have changed.
        const mode = ports.mode()
        const again = judge(call, mode)
        if (again.behavior === "deny") return deny(call, again)
        if (again.behavior === "ask" && (mode !== "auto" || again.reason.kind !== "default"))
          return askFor(call, again, mode, next)
        record(call, {
          behavior: "allow",
          reason: { kind: "classifier", why },
          message: `The classifier let it pass: ${why}`,
        })
        return next(boundTo(mode, call))
      }
    }
  }

  /** What a hook answers in place of the person; undefined hands on to them. */
  async function byHook(call: Call, next: Next): Promise<Outcome | undefined> {
    if (!ports.hook) return undefined
    const answer = await ports.hook(call, suggestionsFor(suggested(call, ports.mode())))
    if (!answer) return undefined
    if (call.signal.aborted) return interrupted(interruptedWords, "before")
    if (answer.behavior === "deny")
      return deny(call, { ...byTheHook(answer), behavior: "deny", message: answer.message })
    const changed = answer.updatedInput === undefined ? call : await withInput(call, answer.updatedInput, "a hook")
    if (typeof changed === "string") return refused(changed)
    const again = judge(changed, ports.mode())
    if (again.behavior === "deny" && !isUnasked(again)) return deny(changed, again)
    // Whoever wrote a rule that asks, and every safety check, means a person.
    if (again.behavior !== "allow" && !isLeftOpen(judge(changed, "default"))) return undefined
    for (const granted of answer.grants) grants.remember({ rule: granted, destination: "session" })
    record(changed, { ...byTheHook(answer), behavior: "allow", message: `The hook ${answer.name} allowed this call.` })
    return next(boundTo(ports.mode(), changed))
  }

  async function askFor(call: Call, decision: Decision, mode: PermissionMode, next: Next): Promise<Outcome> {
    const { signal } = call
    const answered = await byHook(call, next)
    if (answered) return answered
    const judged = judgedCall(toJudge(call))
    const isShown = ports.canAsk?.() ?? true
    const [risks, display] = await Promise.all([
      whatIsAtRisk(judged, isShown ? ports.countAtRisk : undefined, signal),
      isShown ? whatItWouldDo(call) : undefined,
    ])
    if (signal.aborted) return interrupted(interruptedWords, "before")
    const answer = await ports.ask(
      permissionQuestion({
        call,
        judged,
        decision,
        rules: rulesInForce(),
        mode,
        destinations: grants.destinations,
        risks: [...(call.tool.risks?.(call.parsed) ?? []), ...risks],
        display,
        suggestions: suggested(call, mode),
      }),
      signal,
    )
    if (signal.aborted) return interrupted(interruptedWords, "before")
    switch (answer.kind) {
      case "allow":
        return permitted(call, answer, next)
      case "deny":
        return declined(call, answer)
      case "choices":
      case "elicited":
      case "approve":
        return unanswered(call, "the answer was to another question", mode)
      case "unanswered":
        return unanswered(call, answer.why, mode)
    }
  }

  /** The person said yes. While they thought, the input, the mode or the rules may have changed, and none of it lifts a denial. */
  async function permitted(call: Call, answer: Answer & { kind: "allow" }, next: Next): Promise<Outcome> {
    const { updatedInput, mode, folders, grants: given = [], remember } = answer
    const changed = updatedInput === undefined ? call : await withInput(call, updatedInput)
    if (typeof changed === "string") return refused(changed)
    if (call.signal.aborted) return interrupted(interruptedWords, "before")
    const judgedIn = ports.mode()
    const again = judge(changed, judgedIn)
    if (again.behavior === "deny") return deny(changed, again)
    for (const grant of remember ? [...given, remember] : given) grants.remember(grant)
    // For the calls after this one: what was allowed is allowed in the mode that it was judged in.
    if (mode !== undefined || folders)
      ports.widen?.({ ...(mode !== undefined && { mode }), ...(folders && { folders }) })
    record(changed, { behavior: "allow", reason: { kind: "person" }, message: "The user allowed this call." })
    return next(boundTo(judgedIn, changed))
  }

  function declined(call: Call, { words, interrupt }: Answer & { kind: "deny" }): Outcome {
    const said = words?.trim()
    const message = declinedWords(said)
    record(call, { behavior: "deny", reason: { kind: "person" }, message })
    return refused(message, { denied: true, ...((interrupt || !said) && { rejected: true }) })
  }

  function unanswered(call: Call, why: string, mode: PermissionMode): Outcome {
    const about = judgedCall(toJudge(call))
    const rule = suggestRule(about, rulesInForce(), mode)
    // Where a rule would not have helped, none is suggested.
    const changed = call.tool.changed?.()
    const message = `${unansweredWords(call.tool.name, deedOf(about), why, changed === undefined ? rule : undefined)}${changed === undefined ? "" : ` ${changed}`}`
    record(call, { behavior: "deny", reason: { kind: "no_one_to_ask" }, message })
    return refused(message, { denied: true })
  }

  function deny(call: Call, decision: Concluded): Outcome {
    record(call, decision)
    return refused(deniedWords(decision.message), { denied: true })
  }

  function toJudge({ tool, input, footprint }: Call): CallToJudge {
    return {
      tool,
      input,
      footprint,
      workspace: ports.workspace(),
      cwd: ports.cwd(),
      realPath: ports.realPath,
      sight: ports.sight?.now(),
    }
  }

  function record(call: Call, { behavior, reason, message }: Concluded): void {
    ports.record({ kind: "decision", callId: call.callId, tool: call.tool.name, behavior, reason, message })
    if (behavior === "allow") call.tool.allowed?.(reason)
  }
}

type Concluded = Pick<Decision, "behavior" | "reason" | "message">

/**
 * A layer outside may have changed the input as it is shown, or as it is understood, alone: then both are judged. In
 * plan mode nobody's word is taken for what a call will touch.
 */
function declaredWhole(call: Call, mode: PermissionMode): Call {
  const { tool, input, parsed } = call
  const footprint = mode === "plan" ? tool.footprint(parsed) : call.footprint
  const typed = tool.parse(input)
  const isSame = !typed.ok || isDeepStrictEqual(typed.value, parsed)
  if (isSame && footprint === call.footprint) return call
  return { ...call, footprint: isSame ? footprint : bothOf(footprint, tool.footprint(typed.value)) }
}

const runsCommands = ({ footprint }: Call): boolean => footprint.runs.length > 0

/** In plan mode whatever passes was let through because it reads, whoever else allowed it too. */
const boundTo = (mode: PermissionMode, call: Call): Call => (mode === "plan" ? { ...call, onlyReads: true } : call)

const byTheHook = ({ name }: HookAnswer): Pick<Decision, "reason"> => ({ reason: { kind: "hook", name } })

const interruptedWords = "Interrupted by the user before it was permitted. Nothing was done."

/** The call with another input, understood and checked like the first; a sentence for the model when it is not valid. */
async function withInput(call: Call, input: JsonObject, who = "the user"): Promise<Call | string> {
  const { tool, signal } = call
  const parsed = tool.parse(input)
  if (!parsed.ok) return `${tool.name} was not run: the input that ${who} changed is not valid. ${parsed.message}`
  const complaint = await tool.validate?.(parsed.value, signal)
  if (complaint !== undefined) return complaint
  return { ...call, input, parsed: parsed.value, footprint: tool.footprint(parsed.value) }
}
