/** The decision about a call: allow, ask or deny, with the reason. Pure: all input is passed in. */

import { isReadOnly } from "#agent/words/footprint.ts"
import type { HookWord } from "#agent/words/middleware.ts"
import { type Boundary, byUser } from "#agent/words/boundary.ts"
import type { Decision, PermissionMode, Reason, PermissionVerdict } from "#agent/words/permission.ts"
import { judgeUrl } from "#ground/web/addresses.ts"
import { judgedBoundary, lineBoundary, userBoundary } from "./boundary.ts"
import { type CallToJudge, type JudgedCall, judgedCall } from "./call.ts"
import { findClosedPath } from "./closed.ts"
import type { CommandMatch } from "./rules/command-pattern.ts"
import { delegateRefusal } from "./delegate-mode.ts"
import { criticalReason, risksOf } from "./danger.ts"
import { closedGate, gateRefusal, type GateStanding, gitQuestion } from "./gates.ts"
import { isHeldUnasked, leaving } from "./leaving.ts"
import { covering, guards } from "./rules/match.ts"
import { isFreeToRead, partsOf } from "./parts.ts"
import { isInside } from "./paths.ts"
import { planRefusal } from "./plan-mode.ts"
import { protectedChange } from "./protected-changes.ts"
import { type PermissionRule, ruleText } from "./rules/rule.ts"
import { consentWords, describeAction, reasonText, shown } from "./say.ts"

export interface Case extends CallToJudge, Terms {}

/** By what a call is decided. */
interface Terms {
  readonly mode: PermissionMode
  readonly rules: readonly PermissionRule[]
  readonly hook?: HookWord | undefined
  /** The gates that are closed; none when absent. */
  readonly gates?: GateStanding | undefined
}

interface Judgement extends JudgedCall {
  readonly mode: PermissionMode
  readonly rules: readonly PermissionRule[]
  readonly hook: HookWord | undefined
  readonly gates: GateStanding
  /** Deny and ask rules that cover the call, or could. */
  readonly guarding: readonly { readonly rule: PermissionRule; readonly match: Exclude<CommandMatch, "no"> }[]
}

/** The conclusion of one stage; undefined passes to the next. */
type Stage = readonly [name: string, judge: (judgement: Judgement) => PermissionVerdict | undefined]

/** In order; the first stage with a conclusion decides. */
const stages: readonly Stage[] = [
  ["deny rules", denyRules],
  ["private paths", closedPaths],
  ["confined sessions", confinedSession],
  // Before ask rules: plan mode denies without asking.
  ["plan mode", planMode],
  ["delegate mode", delegateMode],
  // Before all that could let a call pass.
  ["gates (deny)", refusingGates],
  ["the git gate", gitGate],
  ["ask rules", askRules],
  ["hooks that ask", askingHook],
  // Before all other reasons to ask, so that the question says it first; no rule, mode or hook avoids it.
  ["the sandbox", sandbox],
  ["protected paths", protectedPaths],
  ["critical commands", criticalCommands],
  ["user questions", ownQuestion],
  ["destructive commands", destructiveCommands],
  // After everything the user has to decide, so that a hook replaces nothing but the mode.
  ["hooks that allow", allowingHook],
  ["mode", permissiveMode],
  // A server may turn an allowed tool into a different one.
  ["changed tools", changedTools],
  // A rule is for what it names, and plain http is not what would be reached.
  ["plain http", plainHttp],
  ["allow rules", allowRules],
  ["harmless inside the workspace", harmless],
  // After read-only commands, which are confined more tightly. Destructive commands were asked about above.
  ["commands in the sandbox", heldUnasked],
  ["otherwise", otherwise],
]

export const decide = ({ mode, rules, hook, gates, ...call }: Case): Decision =>
  decideOn(judgedCall(call), { mode, rules, hook, gates })

/** Decides on a call that has been looked at. */
export function decideOn(call: JudgedCall, { mode, rules, hook, gates = {} }: Terms): Decision {
  const judgement: Judgement = { ...call, mode, rules, hook, gates, guarding: guardingRules(rules, call) }
  const trace: string[] = []
  for (const [name, judge] of stages) {
    const verdict = judge(judgement)
    if (!verdict) {
      trace.push(`${name}: no decision`)
      continue
    }
    trace.push(`${name}: ${verdict.behavior}, by ${reasonText(verdict.reason)}`)
    if (verdict.behavior !== "ask" || mode !== "dontAsk") return { ...verdict, trace }
    trace.push("dontAsk: what would ask is denied")
    const message = `${verdict.message} In the mode dontAsk whatever would ask is denied.`
    return { behavior: "deny", reason: { kind: "mode", mode }, message, trace }
  }
  throw new Error("The last stage always concludes.")
}

function guardingRules(rules: readonly PermissionRule[], call: JudgedCall): Judgement["guarding"] {
  return rules.flatMap((rule) => {
    const match = rule.behavior === "allow" ? "no" : guards(rule, call)
    return match === "no" ? [] : [{ rule, match }]
  })
}

function denyRules(judgement: Judgement): PermissionVerdict | undefined {
  const rule = judgement.guarding.find((each) => each.rule.behavior === "deny" && each.match === "match")?.rule
  if (!rule) return undefined
  return {
    behavior: "deny",
    reason: byRule(rule),
    message: `The rule ${named(rule)} denies it: ${judgement.tool.name} would ${describeAction(judgement)}.`,
  }
}

function closedPaths(judgement: Judgement): PermissionVerdict | undefined {
  const touch = findClosedPath(judgement)
  if (!touch) return undefined
  const { path, closed, isAround } = touch
  const holds = `${shown(isAround ? closed.path : path, judgement)} holds ${closed.holds}`
  const check = isAround ? `${shown(path, judgement)} has it inside: ${holds}` : holds
  return {
    behavior: "deny",
    reason: { kind: "tool_check", check },
    message: `${judgement.tool.name} cannot use it: ${check}, which no tool may read or change.`,
  }
}

/** Commands are confined by the sandbox; what our own tools change is held to the same limits, whatever anybody answers. */
function confinedSession(judgement: Judgement): PermissionVerdict | undefined {
  const { workspace, commands, footprint, forms, mode, tool } = judgement
  if (!workspace.confined || commands.length > 0) return undefined
  const places = [workspace.root, ...workspace.added, ...workspace.own]
  const outside = footprint.writes.find((path) => path !== workspace.planFile && !isInside(path, places, forms))
  const kept = outside === undefined ? protectedChange(judgement, mode) : undefined
  const path = outside ?? kept?.path
  if (path === undefined) return undefined
  const check = kept
    ? `${shown(path, judgement)} is protected (${kept.why}), and this session is confined to its sandbox`
    : `this session is confined, and ${shown(path, judgement)} is outside its folder`
  return {
    behavior: "deny",
    reason: { kind: "tool_check", check },
    message: `${tool.name} cannot change it: ${check}. Nobody can allow it here.`,
  }
}

function planMode(judgement: Judgement): PermissionVerdict | undefined {
  const message = judgement.mode === "plan" ? planRefusal(judgement) : undefined
  return message === undefined ? undefined : { behavior: "deny", reason: { kind: "mode", mode: "plan" }, message }
}

function delegateMode(judgement: Judgement): PermissionVerdict | undefined {
  const message = judgement.mode === "delegate" ? delegateRefusal(judgement) : undefined
  return message === undefined ? undefined : { behavior: "deny", reason: { kind: "mode", mode: "delegate" }, message }
}

function refusingGates(judgement: Judgement): PermissionVerdict | undefined {
  const message = gateRefusal(judgement, judgement.gates)
  if (message === undefined) return undefined
  return { behavior: "deny", reason: closedGate, message }
}

function gitGate(judgement: Judgement): PermissionVerdict | undefined {
  const check = judgement.gates.git ? gitQuestion(judgement) : undefined
  if (check === undefined) return undefined
  return {
    behavior: "ask",
    reason: { kind: "tool_check", check },
    message: `${judgement.tool.name} would ${describeAction(judgement)}: ${check}.`,
  }
}

/** Ask rules, and deny rules that may or may not cover the call. */
function askRules(judgement: Judgement): PermissionVerdict | undefined {
  const [first] = judgement.guarding
  if (!first) return undefined
  const { rule, match } = first
  const why =
    match === "match"
      ? `The rule ${named(rule)} wants a question first`
      : `This could be what the rule ${named(rule)} is about`
  return {
    behavior: "ask",
    reason: byRule(rule),
    message: `${why}: ${judgement.tool.name} would ${describeAction(judgement)}.`,
  }
}

function askingHook({ hook, tool }: Judgement): PermissionVerdict | undefined {
  if (hook?.behavior !== "ask") return undefined
  const why = hook.reason === undefined ? "" : ` ${hook.reason}`
  return {
    behavior: "ask",
    reason: { kind: "hook", name: hook.name },
    message: `The hook ${hook.name} wants a question before ${tool.name} runs.${why}`,
  }
}

/** Leaving the sandbox is asked about; and if it does not work, nothing runs that it should confine. */
function sandbox(judgement: Judgement): PermissionVerdict | undefined {
  const { mode, walls, tool, commands } = judgement
  const { workspace, mayLeave, why = "" } = walls
  if (commands.length === 0 || workspace === "off") return undefined
  const how = leaving(judgement)
  // In plan mode commands are confined to reading, whatever they ask for.
  if (how !== undefined && mode === "plan") return undefined
  const reason: Reason = { kind: "outside_sandbox" }
  if (how === "asks" && !mayLeave) return { behavior: "deny", reason, message: neverLeaves }
  if (how === "asks" && mode !== "bypassPermissions")
    return {
      behavior: "ask",
      reason,
      message: `This runs outside the sandbox, and can change any file and reach any host: ${tool.name} would ${describeAction(judgement)}.`,
    }
  if (how !== undefined || workspace !== "broken") return undefined
  const message = `The sandbox is on, but it does not work here${why === "" ? "." : `: ${why}`}`
  return { behavior: "deny", reason: { kind: "tool_check", check: "the sandbox does not work here" }, message }
}

const neverLeaves =
  "Commands cannot run outside the sandbox: sandbox.allowUnsandboxedCommands is false. Run it without dangerouslyDisableSandbox."

function heldUnasked(judgement: Judgement): PermissionVerdict | undefined {
  // In plan mode only read-only commands run.
  if (judgement.mode === "plan" || !isHeldUnasked(judgement)) return undefined
  return {
    behavior: "allow",
    boundary: userBoundary(judgement, judgement.mode),
    reason: { kind: "sandboxed" },
    message: `The sandbox confines it, so ${judgement.tool.name} may ${describeAction(judgement)}.`,
  }
}

function allowingHook(judgement: Judgement): PermissionVerdict | undefined {
  const { hook, tool } = judgement
  if (hook?.behavior !== "allow") return undefined
  return {
    behavior: "allow",
    boundary: userBoundary(judgement, judgement.mode),
    reason: { kind: "hook", name: hook.name },
    message: `The hook ${hook.name} lets ${tool.name} ${describeAction(judgement)}.`,
  }
}

function protectedPaths(judgement: Judgement): PermissionVerdict | undefined {
  const found = protectedChange(judgement, judgement.mode)
  if (!found) return undefined
  const path = shown(found.path, judgement)
  return {
    behavior: "ask",
    reason: { kind: "tool_check", check: `${path} is protected: ${found.why}` },
    message: `${judgement.tool.name} would change ${path}, which is protected: ${found.why}.`,
  }
}

/** What could remove the system, the home or the workspace is asked about in every mode. */
function criticalCommands(judgement: Judgement): PermissionVerdict | undefined {
  const check = criticalReason(judgement, judgement.mode)
  if (check === undefined) return undefined
  return {
    behavior: "ask",
    reason: { kind: "tool_check", check },
    message: `${check} ${judgement.tool.name} would ${describeAction(judgement)}.`,
  }
}

/** Destructive commands are asked about however wide a rule is; only bypass mode lets them pass. */
function destructiveCommands(judgement: Judgement): PermissionVerdict | undefined {
  const [first] = judgement.mode === "bypassPermissions" ? [] : risksOf(judgement, judgement.mode)
  if (!first) return undefined
  return {
    behavior: "ask",
    reason: { kind: "tool_check", check: `${first.what}: ${first.risk}` },
    message: `${judgement.tool.name} would ${describeAction(judgement)}: ${first.what} ${first.risk}.`,
  }
}

function ownQuestion(judgement: Judgement): PermissionVerdict | undefined {
  const { asks, reaches } = judgement.footprint
  if (!asks || reaches.length > 0 || !onlyReads(judgement)) return undefined
  const check = "the call is itself a question to the user"
  const why = { reason: { kind: "tool_check", check }, message: `${judgement.tool.name} asks the user.` } as const
  return judgement.mode === "dontAsk"
    ? { behavior: "ask", ...why }
    : { behavior: "allow", boundary: userBoundary(judgement, judgement.mode), ...why }
}

function permissiveMode(judgement: Judgement): PermissionVerdict | undefined {
  const { mode, footprint, workspace, forms, commands, tool, rules } = judgement
  const boundary = boundaryOfMode()
  if (!boundary) return undefined
  return {
    behavior: "allow",
    boundary,
    reason: { kind: "mode", mode },
    message: `The mode ${mode} lets ${tool.name} ${describeAction(judgement)}.`,
  }

  function boundaryOfMode(): Boundary | undefined {
    if (mode === "bypassPermissions") return userBoundary(judgement, mode)
    if (mode !== "acceptEdits") return undefined
    if (commands.length > 0) return fileWork()
    return isEditInside() ? byUser : undefined
  }

  function isEditInside(): boolean {
    const { reads, writes, reaches } = footprint
    if (writes.length === 0 || reaches.length > 0) return false
    return [...reads, ...writes].every((path) => isInside(path, [workspace.root, ...workspace.added], forms))
  }

  /** Every part only reads, or creates and moves files inside; and at least one does the latter. */
  function fileWork(): Boundary | undefined {
    const parts = partsOf(judgement, rules, mode)
    if (!parts?.some(({ standing }) => standing === "mode")) return undefined
    const isCovered = parts.every(({ standing }) => standing === "mode" || standing === "free")
    return isCovered ? lineBoundary(judgement, parts, mode) : undefined
  }
}

function changedTools({ tool, input }: Judgement): PermissionVerdict | undefined {
  const check = tool.changed?.(input)
  return check === undefined ? undefined : { behavior: "ask", reason: { kind: "tool_check", check }, message: check }
}

function plainHttp({ tool, footprint }: Judgement): PermissionVerdict | undefined {
  const address = footprint.reaches.find(isUpgraded)
  if (address === undefined) return undefined
  const check = "the address is plain http, and would be reached over https instead"
  return {
    behavior: "ask",
    reason: { kind: "tool_check", check },
    message: `${tool.name} would reach ${address}: ${check}.`,
  }
}

/** Whether the URL reached differs from the written one: http to this machine stays http. */
function isUpgraded(address: string): boolean {
  if (!/^\s*http:/i.test(address)) return false
  const judged = judgeUrl(address, () => true)
  return judged.ok && judged.value.scheme === "https"
}

function allowRules(judgement: Judgement): PermissionVerdict | undefined {
  const covered = covering(judgement.rules, judgement, judgement.mode)
  const rule = covered?.rules[0]
  if (!rule) return undefined
  return {
    behavior: "allow",
    boundary: covered.boundary,
    reason: byRule(rule),
    message: `The rule ${named(rule)} lets ${judgement.tool.name} ${describeAction(judgement)}.`,
  }
}

function harmless(judgement: Judgement): PermissionVerdict | undefined {
  const { tool, footprint, reads, writes } = judgement
  if (!onlyReads(judgement) || footprint.reaches.length > 0 || !reads.every((path) => isFreeToRead(path, judgement)))
    return undefined
  if (needsWall(judgement)) return undefined
  const boundary = judgement.commands.length > 0 ? judgedBoundary(judgement) : byUser
  if (writes.length === 0)
    return {
      behavior: "allow",
      boundary,
      reason: { kind: "read_only" },
      message: `${tool.name} only reads, inside the workspace.`,
    }
  const check = "it changes only files of the session itself"
  const message = `${tool.name} may run: ${check}.`
  return { behavior: "allow", boundary, reason: { kind: "tool_check", check }, message }
}

function otherwise(judgement: Judgement): PermissionVerdict {
  const outside = onlyReads(judgement) && judgement.reads.some((path) => !isFreeToRead(path, judgement))
  const unheld = !outside && onlyReads(judgement) && needsWall(judgement) && !judgement.walls.reader ? noReaderWall : ""
  const excluded = leaving(judgement) === "excluded" ? excludedWords : ""
  const message = `${judgement.tool.name} would ${describeAction(judgement)}${outside ? ", outside the workspace" : ""}.`
  return {
    behavior: "ask",
    reason: { kind: "default" },
    message: `${message}${unheld}${outside ? "" : consentWords(judgement)}${excluded}`,
  }
}

/** Whether a command may only read without asking if it is confined, and it is not. */
const needsWall = ({ commands, readsUnasked }: JudgedCall): boolean =>
  commands.some(({ analysis }) => !analysis.segments.every(readsUnasked))

const noReaderWall = " There is no sandbox here, so only basic commands read without a question."
const excludedWords = " It runs outside the sandbox, as sandbox.excludedCommands says."

/** Whether a call changes only files of the session itself, such as its plan. */
function onlyReads(judgement: Judgement): boolean {
  const { footprint, workspace, forms, commands } = judgement
  if (commands.length > 0)
    return commands.every(
      ({ analysis }) =>
        analysis.understood &&
        analysis.segments.every(({ verdict, unbounded }) => verdict === "read_only" && !unbounded),
    )
  if (footprint.effect !== "acts") return isReadOnly(footprint)
  return footprint.writes.every((path) => isInside(path, workspace.own, forms))
}

const named = (rule: PermissionRule): string => `${ruleText(rule)} (${rule.source})`

const byRule = (rule: PermissionRule): Reason => ({ kind: "rule", rule: ruleText(rule), source: rule.source })
