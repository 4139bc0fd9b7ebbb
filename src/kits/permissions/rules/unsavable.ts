/** Rules that are never saved: they would allow whatever a program is given next time. */

import { opensText, readsOrHoldsText } from "./any-text.ts"
import { isLauncher, isOpaque, programName, startOf } from "#ground/workspace/shell/programs/launchers.ts"
import { parseRules, type RuleText } from "./rule.ts"

/** Why a rule cannot be saved, as a sentence; undefined if it can. */
export function unsavable(text: RuleText): string | undefined {
  const { rules, problems } = parseRules([text])
  const [rule] = rules
  const wrong = problems.find(({ level }) => level !== "warning")
  if (!rule || wrong) return wrong?.message ?? "It is no rule."
  if (rule.behavior !== "allow" || rule.matter.kind !== "command") return undefined
  const { words, kind } = rule.matter.pattern
  const allowsAnything = kind === "exact" ? readsOrHoldsText(words) : opensText(words) || opensStart(words)
  return allowsAnything
    ? `${text.text} would allow anything: ${programName(words[0] ?? "")} runs whatever it is given.`
    : undefined
}

/** A prefix that ends before the program that a launcher would start, or names one that itself runs anything. */
function opensStart(words: readonly string[]): boolean {
  const start = startOf(words)
  if (!start || start.how === "project") return false
  const at = start.how === "later" ? start.at + 1 : start.at
  const program = words[at] ?? ""
  if (!/^[\w@.][\w@./:-]*$/.test(program)) return true
  return isOpaque(program) || isLauncher(program) || opensStart(words.slice(at))
}
