/**
 * Rules that change in settings files during a session. Stricter ones apply at once; those that allow more wait for the next start, because anything
 * that runs in the session could have written them.
 * See decision 32.
 */

import type { RuleText } from "./rule.ts"

export interface Tightened {
  readonly rules: readonly RuleText[]
  /** What is in the files and does not apply yet: rules that would allow more, and removed guards. */
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
