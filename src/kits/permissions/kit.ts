/** The permissions kit: one layer around every call that decides, asks where it must, and records before anything runs. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { type Outcome, refused } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"
import { type CallToJudge, judgedCall } from "./call.ts"
import { decide } from "./decide.ts"
import type { RealPath, Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rule.ts"
import { declinedWords, deedOf, deniedWords, unansweredWords } from "./say.ts"
import { suggestRule } from "./suggest.ts"

/** A decision as the log keeps it. */
export type DecisionBody = Extract<EntryBody, { readonly kind: "decision" }>

export interface PermissionPorts {
  /** The rules in force now; a session may add to them while it runs, by giving another list. */
  readonly rules: () => readonly PermissionRule[]
  readonly mode: () => PermissionMode
  readonly workspace: () => Workspace
  readonly cwd: () => string
  readonly realPath: RealPath
  /** Brings a question to whoever can answer; `unanswered` when there is nobody or the signal aborts. */
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  /** Keeps a decision; called before the call runs. */
  readonly record: (body: DecisionBody) => void
}

export function permissionsKit(ports: PermissionPorts): Kit {
  return { name: "permissions", middleware: permissionLayer(ports) }
}

function permissionLayer(ports: PermissionPorts): Middleware {
  let settledFrom: readonly PermissionRule[] | undefined
  let settled: readonly PermissionRule[] = []

  return async (call, next) => {
    const decision = judge(call)
    switch (decision.behavior) {
      case "allow":
        record(call, decision)
        return next(call)
      case "deny":
        return deny(call, decision)
      case "ask":
        return askFor(call, decision, next)
    }
  }

  function judge(call: Call): Decision {
    return decide({ ...toJudge(call), mode: ports.mode(), rules: rulesInForce() })
  }

  /** Rules are settled again only when there are others. */
  function rulesInForce(): readonly PermissionRule[] {
    const given = ports.rules()
    if (given !== settledFrom) {
      settled = settleRules(given, ports.workspace(), ports.realPath)
      settledFrom = given
    }
    return settled
  }

  async function askFor(call: Call, decision: Decision, next: Next): Promise<Outcome> {
    const { tool, callId, input, footprint, signal } = call
    const answer = await ports.ask(
      { kind: "permission", callId, tool: tool.name, title: tool.title(call.parsed), input, footprint, decision },
      signal,
    )
    if (signal.aborted) return refused(interruptedWords)
    switch (answer.kind) {
      case "allow":
        return permitted(call, answer.updatedInput, next)
      case "deny":
        return declined(call, answer)
      case "choices":
        return unanswered(call, "the answer was to another question")
      case "unanswered":
        return unanswered(call, answer.why)
    }
  }

  /** The person said yes. While they thought, the input, the mode or the rules may have changed, and none of it lifts a denial. */
  async function permitted(call: Call, updatedInput: JsonObject | undefined, next: Next): Promise<Outcome> {
    const changed = updatedInput === undefined ? call : await withInput(call, updatedInput)
    if (typeof changed === "string") return refused(changed)
    if (call.signal.aborted) return refused(interruptedWords)
    const again = judge(changed)
    if (again.behavior === "deny") return deny(changed, again)
    record(changed, { behavior: "allow", reason: { kind: "person" }, message: "The user allowed this call." })
    return next(changed)
  }

  function declined(call: Call, { words, interrupt }: Answer & { kind: "deny" }): Outcome {
    const said = words?.trim()
    const message = declinedWords(said)
    record(call, { behavior: "deny", reason: { kind: "person" }, message })
    return refused(message, { denied: true, ...((interrupt || !said) && { rejected: true }) })
  }

  function unanswered(call: Call, why: string): Outcome {
    const about = judgedCall(toJudge(call))
    const message = unansweredWords(call.tool.name, deedOf(about), why, suggestRule(about))
    record(call, { behavior: "deny", reason: { kind: "no_one_to_ask" }, message })
    return refused(message, { denied: true })
  }

  function deny(call: Call, decision: Decision): Outcome {
    record(call, decision)
    return refused(deniedWords(decision.message), { denied: true })
  }

  function toJudge({ tool, input, footprint }: Call): CallToJudge {
    return { tool, input, footprint, workspace: ports.workspace(), cwd: ports.cwd(), realPath: ports.realPath }
  }

  function record(call: Call, { behavior, reason, message }: Pick<Decision, "behavior" | "reason" | "message">): void {
    ports.record({ kind: "decision", callId: call.callId, tool: call.tool.name, behavior, reason, message })
  }
}

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
