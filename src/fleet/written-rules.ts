/** Rules that somebody writes in answer to one action, in place of those offered: about the same tool, never about everything, and about that action. */

import { aboutEverything } from "#kits/permissions/rules/about-everything.ts"
import { parseRules, type RuleText } from "#kits/permissions/rules/rule.ts"
import { unsavable } from "#kits/permissions/rules/unsavable.ts"
import type { JsonObject } from "#lib/json.ts"
import { forConsent } from "#lib/printable.ts"
import type { FleetApproval, WorkspaceSource } from "./records.ts"
import { coverageOf } from "./rule-coverage.ts"

/** Why such a rule is not saved, whatever the action is: a sentence, or nothing. */
export function writtenRuleProblem(text: string, offered: readonly string[]): string | undefined {
  if (/[\n\r\t]/.test(text) || text !== forConsent(text)) return "A rule is one line without hidden characters."
  const { rules, problems } = parseRules([ruleOf(text)])
  const [rule] = rules
  if (!rule || problems[0]) return problems[0]?.mistake ?? "It is no rule."
  const unsaved = unsavable(ruleOf(text))
  if (unsaved !== undefined) return unsaved
  const tools = new Set(parseRules(offered.map(ruleOf)).rules.map(({ tool }) => tool))
  if (tools.size === 0) return "No rule is offered with this action, so none can be written."
  if (!tools.has(rule.tool)) return `A rule for this action is about ${[...tools].join(" or ")}, not ${rule.tool}.`
  return aboutEverything(text)
}

const ruleOf = (text: string): RuleText => ({ behavior: "allow", text, source: "session" })

/** Which rule that is sent with a yes is not about the action: a sentence, or nothing. */
export async function besideProblem(
  { written }: JsonObject,
  approval: FleetApproval,
  workspace: WorkspaceSource,
): Promise<string | undefined> {
  for (const text of Array.isArray(written) ? written.map(String) : [])
    if (!(await coversAction(text, approval, workspace))) return `${text} does not cover this action.`
  return undefined
}

/** Whether it would have answered this action, or a part of it: judged as decisions of the past are. */
async function coversAction(text: string, approval: FleetApproval, workspace: WorkspaceSource): Promise<boolean> {
  const { action, details: { parts = [] } = {} } = approval
  const commands = parts.flatMap((part) => (part.needsConsent ? [part.text] : []))
  const inputs = [action.input, ...commands.map((command) => ({ ...action.input, command }))]
  const calls = inputs.map((input) => ({ approval: { ...approval, action: { ...action, input } }, workspace }))
  return (await coverageOf([text], calls)).covered.length > 0
}
