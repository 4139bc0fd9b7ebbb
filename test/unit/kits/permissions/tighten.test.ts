/** Rules that change on disk while a session is open: stricter at once, looser not before the next start. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { RuleText } from "#kits/permissions/rules/rule.ts"
import { tighten } from "#kits/permissions/rules/tighten.ts"

const rule = (behavior: RuleText["behavior"], text: string): RuleText => ({ behavior, text, source: "user settings" })

test("a new guard holds, a new freedom waits, a freedom that was taken back is gone, a guard that was taken back stays", () => {
  const [kept, taken, guard] = [rule("allow", "Bash(ls)"), rule("allow", "Bash(make)"), rule("deny", "Read(.env)")]
  const [freedom, newGuard] = [rule("allow", "Bash(*)"), rule("ask", "WebFetch")]
  expect(tighten([kept, taken, guard], [kept, freedom, newGuard])).toEqual({
    rules: [kept, guard, newGuard],
    waiting: [freedom, guard],
  })
})

test("where nothing changed nothing waits, wherever the rules stand in their files", () => {
  const rules = [rule("deny", "Bash(rm:*)"), rule("allow", "Bash(ls)")]
  const moved = rules.toReversed().map((one) => ({ ...one, where: "line 7" }))
  expect(tighten(rules, moved)).toEqual({ rules, waiting: [] })
})

test("whatever is written: no freedom is gained, no guard is lost, and what is written stricter holds", () => {
  const rules = fc.array(
    fc.record({
      behavior: fc.constantFrom("allow", "ask", "deny") as fc.Arbitrary<RuleText["behavior"]>,
      text: fc.constantFrom("Bash(a)", "Bash(b)", "Read(c)", "WebFetch"),
      source: fc.constantFrom("user settings", "project settings") as fc.Arbitrary<RuleText["source"]>,
    }),
    { maxLength: 8 },
  )
  const keys = (list: readonly RuleText[], isAllow: boolean): string[] =>
    list.filter(({ behavior }) => (behavior === "allow") === isAllow).map((one) => JSON.stringify(one))
  fc.assert(
    fc.property(rules, rules, (before, written) => {
      const { rules: now } = tighten(before, written)
      const [held, said] = [new Set(keys(before, true)), new Set(keys(written, true))]
      for (const freedom of keys(now, true)) expect(held.has(freedom) && said.has(freedom)).toBe(true)
      const guards = new Set(keys(now, false))
      for (const guard of [...keys(before, false), ...keys(written, false)]) expect(guards.has(guard)).toBe(true)
    }),
  )
})
