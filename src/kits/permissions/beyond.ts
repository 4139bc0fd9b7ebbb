/**
 * A command that failed because it was confined to reading, such as one that keeps a cache: whether it may run again unconfined. It only read, so
 * nothing was done the first time.
 */

import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { permissionQuestion } from "./ask.ts"
import { type JudgedCall, judgedCall } from "./call.ts"
import type { Consent, ConsentParts } from "./consent.ts"
import { covering } from "./match.ts"
import { ruleText } from "./rule.ts"
import { withNote } from "./say.ts"
import { suggestionsOf } from "./suggestions.ts"

/** Returns the result of a call, or runs it again. */
export type Beyond = (call: Call, outcome: Outcome, next: Next) => ReturnType<Middleware>

export function openBeyond(
  { ports, grants, judging, conclude }: ConsentParts,
  { byHook, permitted }: Pick<Consent, "byHook" | "permitted">,
): Beyond {
  /** Commands that the user wants to stay confined; each is asked about only once. */
  const kept = new Set<string>()

  async function beyond(call: Call, outcome: Outcome, next: Next): Promise<Outcome> {
    const { withheld = [] } = outcome
    const mode = ports.mode()
    if (withheld.length === 0 || call.signal.aborted || mode === "plan") return outcome
    const { workspace } = ports.walls.now()
    if (workspace === "auto") {
      const message = `${call.tool.name} needs more than reading, and the sandbox confines it.`
      conclude.record(call, { behavior: "allow", reason: { kind: "sandboxed" }, message })
      return next(judging.bound(call, mode))
    }
    // As if nothing could be read without asking: the rest is what a rule would have to allow.
    const judged: JudgedCall = { ...judgedCall(judging.toJudge(call)), readsUnasked: () => false }
    const rules = judging.rulesInForce()
    const rule = covering(rules, judged, mode)?.[0]
    if (rule) {
      const reason = { kind: "rule", rule: ruleText(rule), source: rule.source } as const
      const message = `${call.tool.name} needs more than reading, and the rule ${ruleText(rule)} allows it.`
      conclude.record(call, { behavior: "allow", reason, message })
      return next(judging.bound(call, mode))
    }
    const command = call.footprint.runs.join("\n")
    if (mode === "dontAsk" || kept.has(command)) return outcome
    const hooked = await byHook(call, next)
    if (hooked) return hooked
    const answer = await ports.ask(question(call, judged, decisionAbout(withheld, workspace)), call.signal)
    if (answer.kind === "allow") return permitted(call, answer, next)
    if (answer.kind === "deny") kept.add(command)
    return withNote(outcome, afterwards(answer))
  }

  function question(call: Call, judged: JudgedCall, decision: Decision) {
    const [mode, rules] = [ports.mode(), judging.rulesInForce()]
    return permissionQuestion({
      call,
      cwd: ports.cwd(),
      judged,
      decision,
      rules,
      mode,
      destinations: grants.destinations,
      risks: [],
      display: undefined,
      change: undefined,
      // No mode and no folder would help.
      suggestions: suggestionsOf({ judged, rules, mode, judge: () => ({ behavior: "ask" }) }),
    })
  }

  return beyond
}

function decisionAbout(withheld: readonly string[], workspace: "off" | "on" | "broken"): Decision {
  const where = workspace === "off" ? "outside the sandbox" : "in the sandbox like other commands"
  const message = `It ran read-only, without a question, and failed: the sandbox refused ${withheld.join(", ")}. Allowed, it runs again ${where}.`
  return {
    behavior: "ask",
    reason: { kind: "default" },
    message,
    trace: [`the reader's sandbox: ask, because ${message}`],
  }
}

function afterwards(answer: Answer): string {
  if (answer.kind !== "deny") return "Nobody could be asked whether it may run without that."
  const words = answer.words?.trim()
  return `The user was asked whether it may run without that, and declined${words ? `: ${words}` : "."}`
}
