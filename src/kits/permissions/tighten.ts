/**
 * Rules that changed in settings files while a session is open. What is stricter holds at once; what would allow more waits
 * for the next start, because whatever runs in the session could have written it.
 */

import type { RuleText } from "./rule.ts"

export interface Tightened {
  readonly rules: readonly RuleText[]
  /** What the files say now and what does not hold yet: rules that would allow more, and guards that are gone from them. */
  readonly waiting: readonly RuleText[]
}

export function tighten(inForce: readonly RuleText[], written: readonly RuleText[]): Tightened {
  const holds = new Set(inForce.map(keyOf))
  const isWritten = new Set(written.map(keyOf))
  const kept = inForce.filter((rule) => rule.behavior !== "allow" || isWritten.has(keyOf(rule)))
  const stricter = written.filter((rule) => rule.behavior !== "allow" && !holds.has(keyOf(rule)))
  return {
    rules: [...kept, ...stricter],
    waiting: [
      ...written.filter((rule) => rule.behavior === "allow" && !holds.has(keyOf(rule))),
      ...inForce.filter((rule) => rule.behavior !== "allow" && !isWritten.has(keyOf(rule))),
    ],
  }
}

const keyOf = ({ behavior, text, source, base }: RuleText): string => JSON.stringify([behavior, text, source, base])
