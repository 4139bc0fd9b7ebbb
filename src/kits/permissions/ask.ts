/** The question about a call: everything that a person must see before they consent. */

import type { Call } from "#agent/words/middleware.ts"
import type { Decision, GrantDestination, PermissionMode } from "#agent/words/permission.ts"
import type { QuestionAsk, QuestionPart } from "#agent/words/question.ts"
import { given } from "#lib/given.ts"
import type { JudgedCall } from "./call.ts"
import { criticalReason, risksOf } from "./danger.ts"
import { type Part, partsOf } from "./parts.ts"
import { type PermissionRule, ruleText } from "./rule.ts"
import { suggestRule } from "./suggest.ts"

export interface Asking {
  readonly call: Call
  readonly judged: JudgedCall
  readonly decision: Decision
  readonly rules: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly destinations: readonly GrantDestination[]
}

export function permissionQuestion({ call, judged, decision, rules, mode, destinations }: Asking): QuestionAsk {
  const { tool, callId, input, footprint } = call
  const parts = judged.commands.length > 0 ? partsOf(judged, rules, mode) : undefined
  const risks = [
    ...new Set([...some(criticalReason(judged)), ...risksOf(judged).map(({ what, risk }) => `${what}: ${risk}`)]),
  ]
  const canRemember = destinations.length > 0 && isSpared(decision)
  return {
    kind: "permission",
    callId,
    tool: tool.name,
    title: tool.title(call.parsed),
    input,
    footprint,
    decision,
    ...(parts && parts.length > 1 && { parts: parts.map(shownPart) }),
    ...(risks.length > 0 && { risks }),
    ...given("suggestedRule", canRemember ? suggestRule(judged, rules, mode) : undefined),
    ...(canRemember && { destinations }),
  }
}

/** Whether an allow rule could spare the question; not when an ask rule or a safety check wants it. */
const isSpared = ({ reason }: Decision): boolean => reason.kind === "default"

const some = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

function shownPart({ segment, standing, rules }: Part): QuestionPart {
  const { text, destructive, critical, why } = segment
  switch (standing) {
    case "free":
      return { text, needsConsent: false, why: "it only reads" }
    case "mode":
      return { text, needsConsent: false, why: "the mode covers it" }
    case "rule":
      return { text, needsConsent: false, why: rules.map((rule) => `${ruleText(rule)} (${rule.source})`).join(", ") }
    case "consent":
      return { text, needsConsent: true, why: critical ?? destructive?.risk ?? why ?? "it reads outside the workspace" }
  }
}
