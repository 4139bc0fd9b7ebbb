/**
 * A command that failed because it was confined to what was judged, such as one that keeps a cache: whether it may run
 * again as the user's settings say. One that only read did nothing the first time, so it is asked about at once.
 */

import type { JudgedBoundary } from "#agent/words/boundary.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { type Outcome, withNote } from "#agent/words/tool.ts"
import { permissionQuestion } from "./ask.ts"
import { type JudgedCall, judgedCall } from "./call.ts"
import type { Consent, ConsentParts } from "./consent.ts"
import { covering } from "./rules/match.ts"
import { ruleText } from "./rules/rule.ts"
import { suggestionsOf } from "./rules/suggestions.ts"
import type { Walls } from "./walls.ts"

export interface Beyond {
  /** Returns the result of a call that nobody was asked about, or runs it again. */
  readonly after: (call: Call, boundary: JudgedBoundary, outcome: Outcome, next: Next) => ReturnType<Middleware>
  /** The question about a call whose boundary was too narrow when it ran before. */
  readonly askedAgain: (call: Call) => Decision | undefined
}

export function openBeyond(
  { ports, grants, judging, conclude }: ConsentParts,
  { byHook, permitted }: Pick<Consent, "byHook" | "permitted">,
): Beyond {
  /** Commands that the user wants to stay confined; each is asked about only once. */
  const kept = new Set<string>()
  /** What was refused to commands that also write, and so are not run again by themselves. */
  const stopped = new Map<string, readonly string[]>()

  async function after(call: Call, boundary: JudgedBoundary, outcome: Outcome, next: Next): Promise<Outcome> {
    const { withheld = [] } = outcome
    const mode = ports.mode()
    if (withheld.length === 0 || call.signal.aborted || mode === "plan") return outcome
    if (boundary.writes.length > 0) {
      stopped.set(commandOf(call), withheld)
      return withNote(outcome, runAgainWords)
    }
    const { workspace } = ports.walls.now()
    if (workspace === "auto") {
      const message = `${call.tool.name} needs more than reading, and the sandbox confines it.`
      conclude.record(call, { behavior: "allow", reason: { kind: "sandboxed" }, message })
      return next(judging.permitted(call, mode))
    }
    // As if nothing could be read without asking: the rest is what a rule would have to allow.
    const judged: JudgedCall = { ...judgedCall(judging.toJudge(call)), readsUnasked: () => false }
    const rules = judging.rulesInForce()
    const rule = covering(rules, judged, mode)?.rules[0]
    if (rule) {
      const reason = { kind: "rule", rule: ruleText(rule), source: rule.source } as const
      const message = `${call.tool.name} needs more than reading, and the rule ${ruleText(rule)} allows it.`
      conclude.record(call, { behavior: "allow", reason, message })
      return next(judging.permitted(call, mode))
    }
    const command = commandOf(call)
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
      hasAuto: false,
      exclusions: ports.exclusions ?? [],
    })
  }

  return {
    after,
    askedAgain(call) {
      const withheld = ports.mode() === "dontAsk" ? undefined : stopped.get(commandOf(call))
      return withheld && decisionAbout(withheld, ports.walls.now().workspace)
    },
  }
}

const commandOf = ({ footprint }: Pick<Call, "footprint">): string => footprint.runs.join("\n")

const runAgainWords = "Nobody was asked before it ran. If it needs more, run it again: the user will be asked."

function decisionAbout(withheld: readonly string[], workspace: Walls["workspace"]): Decision {
  const where = workspace === "off" ? "outside the sandbox" : "in the sandbox like other commands"
  const message = `It ran confined, without a question, and failed: the sandbox refused ${withheld.join(", ")}. Allowed, it runs again ${where}.`
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
