/** The permissions kit: one layer around every call that decides, asks where it must, and records before anything runs. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision, Grant, PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { type Outcome, refused } from "#agent/words/tool.ts"
import type { LazySight } from "#ground/workspace/shell-sight.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { permissionQuestion } from "./ask.ts"
import type { Auto } from "./auto.ts"
import { type CallToJudge, judgedCall } from "./call.ts"
import { decide } from "./decide.ts"
import { type Grants, openGrants } from "./grants.ts"
import type { RealPath, Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rule.ts"
import { blockedWords, declinedWords, deedOf, deniedWords, unansweredWords } from "./say.ts"
import { suggestRule } from "./suggest.ts"

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
  /** Keeps a fact; a decision is kept before the call runs. */
  readonly record: (body: PermissionBody) => void
  /** Writes a rule to a settings file; the failure is a sentence for the person. Without it nothing is granted for good. */
  readonly save?: (grant: Grant) => Result<void, string>
  /** Answers in the mode auto; without it the person does. */
  readonly auto?: Auto
}

export function permissionsKit(ports: PermissionPorts): Kit {
  const grants = openGrants(ports)
  return {
    name: "permissions",
    middleware: permissionLayer(ports, grants),
    take(entry) {
      if (entry.kind === "grant") grants.take(entry)
      ports.auto?.take(entry)
    },
  }
}

function permissionLayer(ports: PermissionPorts, grants: Grants): Middleware {
  let settledFrom: readonly PermissionRule[] | undefined
  let settled: readonly PermissionRule[] = []

  return async (call, next) => {
    if (runsCommands(call)) await ports.sight?.load()
    const mode = ports.mode()
    const decision = judge(call, mode)
    switch (decision.behavior) {
      case "allow":
        record(call, decision)
        return next(decision.reason.kind === "read_only" ? { ...call, onlyReads: true } : call)
      case "deny":
        return deny(call, decision)
      case "ask":
        return mode === "auto" && decision.reason.kind === "default" && ports.auto
          ? classify(call, decision, ports.auto, next)
          : askFor(call, decision, mode, next)
    }
  }

  function judge(call: Call, mode: PermissionMode): Decision {
    return decide({ ...toJudge(call), mode, rules: rulesInForce() })
  }

  /** Rules are settled again only when there are others. */
  function rulesInForce(): readonly PermissionRule[] {
    const given = grants.rules()
    if (given !== settledFrom) {
      settled = settleRules(given, ports.workspace(), ports.realPath)
      settledFrom = given
    }
    return settled
  }

  async function classify(call: Call, decision: Decision, auto: Auto, next: Next): Promise<Outcome> {
    const verdict = await auto.judge(call, rulesInForce())
    if (call.signal.aborted) return refused(interruptedWords)
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
        return next(call)
      }
    }
  }

  async function askFor(call: Call, decision: Decision, mode: PermissionMode, next: Next): Promise<Outcome> {
    const { signal } = call
    const judged = judgedCall(toJudge(call))
    const answer = await ports.ask(
      permissionQuestion({
        call,
        judged,
        decision,
        rules: rulesInForce(),
        mode,
        destinations: grants.destinations,
      }),
      signal,
    )
    if (signal.aborted) return refused(interruptedWords)
    switch (answer.kind) {
      case "allow":
        return permitted(call, answer, next)
      case "deny":
        return declined(call, answer)
      case "choices":
        return unanswered(call, "the answer was to another question", mode)
      case "unanswered":
        return unanswered(call, answer.why, mode)
    }
  }

  /** The person said yes. While they thought, the input, the mode or the rules may have changed, and none of it lifts a denial. */
  async function permitted(
    call: Call,
    { updatedInput, remember }: Answer & { kind: "allow" },
    next: Next,
  ): Promise<Outcome> {
    const changed = updatedInput === undefined ? call : await withInput(call, updatedInput)
    if (typeof changed === "string") return refused(changed)
    if (call.signal.aborted) return refused(interruptedWords)
    const again = judge(changed, ports.mode())
    if (again.behavior === "deny") return deny(changed, again)
    if (remember) grants.remember(remember)
    record(changed, { behavior: "allow", reason: { kind: "person" }, message: "The user allowed this call." })
    return next(changed)
  }

  function declined(call: Call, { words, interrupt }: Answer & { kind: "deny" }): Outcome {
    const said = words?.trim()
    const message = declinedWords(said)
    record(call, { behavior: "deny", reason: { kind: "person" }, message })
    return refused(message, { denied: true, ...((interrupt || !said) && { rejected: true }) })
  }

  function unanswered(call: Call, why: string, mode: PermissionMode): Outcome {
    const about = judgedCall(toJudge(call))
    const message = unansweredWords(call.tool.name, deedOf(about), why, suggestRule(about, rulesInForce(), mode))
    record(call, { behavior: "deny", reason: { kind: "no_one_to_ask" }, message })
    return refused(message, { denied: true })
  }

  function deny(call: Call, decision: Decision): Outcome {
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

  function record(call: Call, { behavior, reason, message }: Pick<Decision, "behavior" | "reason" | "message">): void {
    ports.record({ kind: "decision", callId: call.callId, tool: call.tool.name, behavior, reason, message })
  }
}

const runsCommands = ({ tool, footprint }: Call): boolean => footprint.runs.length > 0 || tool.name === "Bash"

const interruptedWords = "Interrupted by the user before it was permitted. Nothing was done."

/** The call with another input, understood and checked like the first; a sentence for the model when it is not valid. */
async function withInput(call: Call, input: JsonObject): Promise<Call | string> {
  const { tool, signal } = call
  const parsed = tool.parse(input)
  if (!parsed.ok) return `${tool.name} was not run: the input that the user changed is not valid. ${parsed.message}`
  const complaint = await tool.validate?.(parsed.value, signal)
  if (complaint !== undefined) return complaint
  return { ...call, input, parsed: parsed.value, footprint: tool.footprint(parsed.value) }
}
