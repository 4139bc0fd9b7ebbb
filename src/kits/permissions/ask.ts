/** The question about a call: everything that a person must see before they consent. */

import type { Display, FileDiff } from "#agent/words/display.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Decision, GrantDestination, PermissionMode } from "#agent/words/permission.ts"
import type { QuestionAsk, QuestionPart, Suggestions } from "#agent/words/question.ts"
import type { CountAtRisk } from "#ground/workspace/at-risk.ts"
import { given } from "#lib/given.ts"
import type { JudgedCall } from "./call.ts"
import { criticalReason, destroyersIn, risksOf } from "./danger.ts"
import { lossWords } from "./loss-words.ts"
import { type Part, partsOf } from "./parts.ts"
import { type PermissionRule, ruleText } from "./rule.ts"
import { partRules, suggestRule } from "./suggest.ts"

export interface Asking {
  readonly call: Call
  readonly cwd: string
  readonly judged: JudgedCall
  readonly decision: Decision
  readonly rules: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly destinations: readonly GrantDestination[]
  readonly risks: readonly string[]
  readonly display: Display | undefined
  readonly change: FileDiff | undefined
  readonly suggestions: Suggestions
}

export function permissionQuestion(asking: Asking): QuestionAsk {
  const { call, cwd, judged, decision, rules, mode, destinations, risks, display, change, suggestions } = asking
  const { tool, callId, input, footprint } = call
  const parts = judged.commands.length > 0 ? partsOf(judged, rules, mode) : undefined
  const partly = parts && parts.length > 1 ? partRules(judged, parts, rules, mode) : []
  const canRemember = destinations.length > 0 && isSpared(decision)
  const alarm = criticalReason(judged)
  // What one part destroys is asked about every time; the others may still be allowed from now on. Not beside an alarm.
  const canRememberParts =
    destinations.length > 0 &&
    alarm === undefined &&
    (isSpared(decision) || isDanger(decision, judged)) &&
    partly.some((rule) => rule !== undefined)
  return {
    kind: "permission",
    callId,
    tool: tool.name,
    title: tool.title(call.parsed),
    input,
    footprint,
    ...(footprint.runs.length > 0 && { cwd }),
    ...given("display", display),
    ...given("change", change),
    decision,
    ...(parts && parts.length > 1 && { parts: shownParts(parts, canRememberParts ? partly : [], judged) }),
    ...(risks.length > 0 && { risks }),
    ...given("alarm", alarm),
    ...given("suggestedRule", canRemember ? suggestRule(judged, rules, mode) : undefined),
    ...((canRemember || canRememberParts) && { destinations }),
    ...(canRemember && hasAny(suggestions) && { suggestions }),
  }
}

const hasAny = ({ rules, mode, folders }: Suggestions): boolean =>
  rules.length > 0 || mode !== undefined || folders !== undefined

/** What could be lost, one sentence each, with how much of it where that can be counted. */
export async function whatIsAtRisk(
  judged: JudgedCall,
  countAtRisk: CountAtRisk | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const sentences = await Promise.all(
    destroyersIn(judged).map(async ({ destruction, part }) => {
      const count = await countAtRisk?.(part, signal)
      const counted = count && destruction.loses && lossWords(destruction.loses, count, part.argv)
      return `${destruction.what}: ${destruction.risk}${counted === undefined ? "" : ` (${counted})`}`
    }),
  )
  return [...new Set([...some(criticalReason(judged)), ...sentences])]
}

/** What the tool would do, drawn by the tool itself. */
export async function whatItWouldDo({ tool, parsed, signal }: Call): Promise<Display | undefined> {
  try {
    return await tool.preview?.(parsed, signal)
  } catch {
    // A question without a picture is better than none.
    return undefined
  }
}

/** Whether an allow rule could spare the question; not when an ask rule or a safety check wants it. */
const isSpared = ({ reason }: Decision): boolean => reason.kind === "default"

/** Whether a part of the command wants the question because of what it destroys, and not a rule or a protected path. */
const isDanger = ({ reason }: Decision, judged: JudgedCall): boolean =>
  reason.kind === "tool_check" && risksOf(judged).some(({ what, risk }) => reason.check === `${what}: ${risk}`)

const outsideWords = "it reads outside the workspace"
const unheldWords = "no sandbox here confines it to reading"

const some = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

/** Each part once: a loop has the same ones in every round. */
function shownParts(
  parts: readonly Part[],
  rules: readonly (string | undefined)[],
  judged: JudgedCall,
): readonly QuestionPart[] {
  const shown = parts.map((part, i) => shownPart(part, rules[i], judged))
  const isFirst = (part: QuestionPart, i: number): boolean =>
    shown.findIndex(({ text, needsConsent }) => text === part.text && needsConsent === part.needsConsent) === i
  return shown.filter(isFirst)
}

function shownPart(
  { segment, standing, rules }: Part,
  suggested: string | undefined,
  { readsUnasked }: JudgedCall,
): QuestionPart {
  const { text, destructive, critical, why } = segment
  switch (standing) {
    case "free":
      return { text, needsConsent: false, why: "it only reads" }
    case "mode":
      return { text, needsConsent: false, why: "the mode covers it" }
    case "rule":
      return { text, needsConsent: false, why: rules.map((rule) => `${ruleText(rule)} (${rule.source})`).join(", ") }
    case "consent":
      return {
        text,
        needsConsent: true,
        why: critical ?? destructive?.risk ?? why ?? (readsUnasked(segment) ? outsideWords : unheldWords),
        ...given("rule", suggested),
      }
  }
}
