/** Rules that are never saved: they would allow whatever a program is given next time. */

import { opensText, readsOrHoldsText } from "./any-text.ts"
import { programName } from "#ground/workspace/shell/launchers.ts"
import { parseRules, type RuleText } from "./rule.ts"

/** Why a rule cannot be saved, as a sentence; undefined if it can. */
export function unsavable(text: RuleText): string | undefined {
  const { rules, problems } = parseRules([text])
  const [rule] = rules
  const wrong = problems.find(({ level }) => level !== "warning")
  if (!rule || wrong) return wrong?.message ?? "It is no rule."
  if (rule.behavior !== "allow" || rule.matter.kind !== "command") return undefined
  const { words, kind } = rule.matter.pattern
  const allowsAnything = kind === "exact" ? readsOrHoldsText(words) : opensText(words)
  return allowsAnything
    ? `${text.text} would allow anything: ${programName(words[0] ?? "")} runs whatever it is given.`
    : undefined
}
