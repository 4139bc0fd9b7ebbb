/** Judges calls by the current rules, mode and folders. */

import { optional } from "#lib/optional.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import type { Suggestions } from "#agent/words/question.ts"
import { userBoundary } from "./boundary.ts"
import { type CallToJudge, type JudgedCall, judgedCall } from "./call.ts"
import { dependsOnWalls } from "./depends-on-walls.ts"
import { openCommandRules } from "./rules/command-rules.ts"
import { decide, decideOn } from "./decide.ts"
import type { Grants } from "./grants.ts"
import type { PermissionPorts } from "./ports.ts"
import { type PermissionRule, ruleText, settleRules } from "./rules/rule.ts"
import { suggestionsOf } from "./rules/suggestions.ts"
import { brokenLimits } from "./tool-limits.ts"

/** The part of a call that is judged. */
export type JudgeableCall = Pick<CallToJudge, "tool"> &
  Pick<Call, "input" | "footprint" | "hook"> &
  Partial<Pick<Call, "parsed">>

export interface Judging {
  /** `known` is what was found out about the call a moment ago. */
  readonly judge: (call: JudgeableCall, mode: PermissionMode, known?: JudgedCall) => Decision
  /** Loads what the decision about a call depends on; what is known about the call then, if that took no time. */
  readonly prepare: (call: JudgeableCall) => Promise<JudgedCall | undefined>
  readonly suggested: (call: Call, mode: PermissionMode) => Suggestions
  readonly rulesInForce: () => readonly PermissionRule[]
  readonly toJudge: (call: Call) => CallToJudge
  /** A call that the user allows, with the boundary that comes with that. */
  readonly permitted: (call: Call, mode: PermissionMode) => Call
}

export function openJudging(ports: PermissionPorts, grants: Grants): Judging {
  const brought = openCommandRules(ports)
  let settledFrom: readonly (readonly PermissionRule[])[] = []
  let settled: readonly PermissionRule[] = []

  /** Rules are settled again only when they changed. */
  function rulesInForce(): readonly PermissionRule[] {
    const [sessionRules, extra] = [grants.rules(), brought()]
    if (sessionRules !== settledFrom[0] || extra !== settledFrom[1]) {
      settled = settleRules([...sessionRules, ...extra], ports.workspace(), ports.realPaths())
      settledFrom = [sessionRules, extra]
    }
    return settled
  }

  function toJudge({ tool, input, parsed, footprint }: JudgeableCall): CallToJudge {
    return {
      tool,
      input,
      footprint,
      workspace: ports.workspace(),
      cwd: ports.cwd(),
      realPath: ports.realPaths(parsed),
      walls: ports.walls.now(),
      analyzer: ports.analyzer?.now(),
    }
  }

  function judge(call: JudgeableCall, mode: PermissionMode, known?: JudgedCall): Decision {
    const judged = known ?? judgedCall(toJudge(call))
    const broken = ports.limits && brokenLimits(ports.limits, judged)
    if (broken) return beyondLimits(call.tool.name, broken)
    return decideOn(judged, { mode, rules: rulesInForce(), hook: call.hook, gates: ports.gates?.() })
  }

  async function prepare(call: JudgeableCall): Promise<JudgedCall | undefined> {
    if (call.footprint.runs.length === 0) return undefined
    await ports.analyzer?.load()
    // Finding out whether anything can be confined takes as long as running a command.
    const judged = ports.walls.isLoaded() ? undefined : judgedCall(toJudge(call))
    if (judged && !dependsOnWalls(judged)) return judged
    await ports.walls.load()
    return undefined
  }

  function suggested(call: Call, mode: PermissionMode): Suggestions {
    const about = toJudge(call)
    const { mode: another, ...others } = suggestionsOf({
      judged: judgedCall(about),
      rules: rulesInForce(),
      mode,
      judge(how, folders) {
        const workspace = { ...about.workspace, added: [...about.workspace.added, ...folders] }
        return decide({
          ...about,
          workspace,
          mode: how,
          rules: rulesInForce(),
          hook: call.hook,
          gates: ports.gates?.(),
        })
      },
    })
    return { ...others, ...(!ports.hasFixedMode && optional("mode", another)) }
  }

  function permitted(call: Call, mode: PermissionMode): Call {
    if (mode !== "plan" && (call.footprint.runs.length === 0 || ports.walls.now().workspace === "off")) return call
    return { ...call, boundary: userBoundary(judgedCall(toJudge(call)), mode) }
  }

  return { judge, prepare, suggested, rulesInForce, toJudge, permitted }
}

function beyondLimits(tool: string, limits: readonly PermissionRule[]): Decision {
  const named = limits.map(ruleText).join(", ")
  const message = `This agent uses ${tool} only for ${named}.`
  return {
    behavior: "deny",
    reason: { kind: "rule", rule: named, source: "command" },
    message,
    trace: [`limits of the agent: ${message}`],
  }
}
