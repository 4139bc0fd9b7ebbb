/** Rules for the parts of a command: those that are checked are saved with a yes that lasts. */

import type { GrantDestination } from "#agent/words/permission.ts"
import { type Answer, partRulesOf } from "#agent/words/question.ts"
import { type PermissionAsk, ruleWords } from "#faces/view/consent.ts"
import { forConsent } from "#lib/printable.ts"
import type { MenuEntry } from "./menu.ts"

export interface PartRule {
  readonly rule: string
  readonly isChecked: boolean
}

/** Empty if one rule covers the whole command. */
export const partRules = (ask: PermissionAsk): readonly PartRule[] =>
  ask.suggestedRule === undefined ? partRulesOf(ask).map((rule) => ({ rule, isChecked: true })) : []

export const withToggled = (parts: readonly PartRule[], number: number): readonly PartRule[] =>
  parts.map((part, i) => (i === number ? { ...part, isChecked: !part.isChecked } : part))

/** Editing a rule also checks it. */
export const withRule = (parts: readonly PartRule[], number: number, rule: string): readonly PartRule[] =>
  parts.map((part, i) => (i === number ? { rule, isChecked: true } : part))

export function allowedParts(parts: readonly PartRule[], destination: GrantDestination): Answer {
  const grants = parts.filter(({ isChecked }) => isChecked).map(({ rule }) => ({ rule, destination }))
  return { kind: "allow", ...(grants.length > 0 && { grants }) }
}

export const partEntry = ({ rule, isChecked }: PartRule): MenuEntry => ({
  label: forConsent(ruleWords(rule)),
  mark: isChecked ? "on" : "off",
})
