/** Which rules open a private address: one that allows that very host, and no other. */

import { expect, test } from "bun:test"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { opensHost } from "#session/adapters/ground.ts"

const opens = (behavior: "allow" | "ask" | "deny", text: string, host: string): boolean =>
  parseRules([{ behavior, text, source: "session" }]).rules.some((rule) => opensHost(rule, host))

test("a private host is opened by a rule that allows it by name, not by a wildcard, a wider rule, or one that forbids", () => {
  expect(opens("allow", "WebFetch(domain:db.internal)", "db.internal")).toBe(true)
  expect(opens("allow", "WebFetch(domain:db.internal)", "other.internal")).toBe(false)
  expect(opens("allow", "WebFetch(domain:*.internal)", "db.internal")).toBe(false)
  expect(opens("allow", "WebFetch", "db.internal")).toBe(false)
  for (const behavior of ["ask", "deny"] as const)
    expect(opens(behavior, "WebFetch(domain:db.internal)", "db.internal")).toBe(false)
})
