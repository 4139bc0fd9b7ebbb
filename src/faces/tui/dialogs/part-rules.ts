/** Rules for the parts of a command, of which a person chooses those that go with a lasting yes. */

import type { GrantDestination } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { bared } from "#lib/printable.ts"
import type { MenuEntry } from "./menu.ts"

export interface PartRule {
  /** The parts of the command that it is for, as written. */
  readonly text: string
  readonly rule: string
  readonly isChecked: boolean
}

/** The rules there are for parts; none where one rule is for all of the command. */
export function partRules({ suggestedRule, parts = [] }: QuestionAsk & { kind: "permission" }): readonly PartRule[] {
  if (suggestedRule !== undefined) return []
  const byRule = Map.groupBy(
    parts.filter(({ rule }) => rule !== undefined),
    ({ rule }) => rule ?? "",
  )
  return [...byRule].map(([rule, same]) => ({
    text: same.map(({ text }) => text).join(", "),
    rule,
    isChecked: true,
  }))
}

export const withToggled = (parts: readonly PartRule[], number: number): readonly PartRule[] =>
  parts.map((part, i) => (i === number ? { ...part, isChecked: !part.isChecked } : part))

/** Whoever changes a rule wants it. */
export const withRule = (parts: readonly PartRule[], number: number, rule: string): readonly PartRule[] =>
  parts.map((part, i) => (i === number ? { ...part, rule, isChecked: true } : part))

export function allowedParts(parts: readonly PartRule[], destination: GrantDestination): Answer {
  const grants = parts.filter(({ isChecked }) => isChecked).map(({ rule }) => ({ rule, destination }))
  return { kind: "allow", ...(grants.length > 0 && { grants }) }
}

export const partEntry = ({ text, rule, isChecked }: PartRule): MenuEntry => ({
  label: bared(text),
  about: `allows ${bared(rule)}`,
  mark: isChecked ? "on" : "off",
})
