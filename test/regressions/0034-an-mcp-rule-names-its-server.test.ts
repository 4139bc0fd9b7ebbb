/** The allow rule `mcp__*` allowed every tool of every server, also of those that came later. */

import { expect, test } from "bun:test"
import { touchesNothing } from "#agent/words/footprint.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { decideCase, rulesFrom } from "../unit/kits/permissions/judge.ts"

const behavior = (lists: Parameters<typeof rulesFrom>[0], tool = "mcp__github__push"): string =>
  decideCase({ tool, footprint: { ...touchesNothing(), effect: "unknown" }, rules: rulesFrom(lists) }).behavior

test.each(["mcp__*", "mcp__*__read", "mcp__git*", "mcp__*hub__*"])(
  "%s allows nothing, and says what to write",
  (text) => {
    const { rules, problems } = parseRules([{ behavior: "allow", text, source: "user settings" }])
    expect(rules).toEqual([])
    expect(problems.map(({ level, message }) => [level, message.includes("write mcp__server")])).toEqual([
      ["error", true],
    ])
  },
)

test.each(["mcp__github", "mcp__github__*", "mcp__github__pu*", "mcp__github(*)"])("%s still allows", (text) => {
  expect(behavior({ allow: [text] })).toBe("allow")
  expect(behavior({ allow: [text] }, "mcp__other__push")).toBe("ask")
})

test("to deny and to ask, a star means every server", () => {
  expect(behavior({ deny: ["mcp__*"] })).toBe("deny")
  expect(behavior({ allow: ["mcp__github"], ask: ["mcp__*"] })).toBe("ask")
})
