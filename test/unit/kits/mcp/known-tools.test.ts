/** What a tool was when it was allowed, and what its own word about itself is worth. */

import { expect, test } from "bun:test"
import type { Reason } from "#agent/words/permission.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import { changedWords, digestOf, rememberAllowed } from "#kits/mcp/known-tools.ts"
import { mcpTool } from "#kits/mcp/tool.ts"
import { systemClock } from "#lib/clock.ts"
import { failed } from "#lib/result.ts"

const plain: McpToolDefinition = { name: "drop", inputSchema: { type: "object" } }
const withHints = (annotations: McpToolDefinition["annotations"]): McpToolDefinition => ({
  ...plain,
  ...(annotations && { annotations }),
})

test.each([
  ["its name", { ...plain, name: "keep" }],
  ["its title", { ...plain, title: "Drop" }],
  ["its description", { ...plain, description: "Drops." }],
  ["its input", { ...plain, inputSchema: { type: "object", properties: {} } }],
  ["that it only reads", withHints({ readOnlyHint: true })],
  ["that it destroys", withHints({ destructiveHint: true })],
  ["that it reaches far", withHints({ openWorldHint: true })],
] as const)("a tool that changes %s is another tool", (_, changed) => {
  const known = new Map([["mcp__s__drop", digestOf(plain)]])
  expect(changedWords("mcp__s__drop", digestOf(plain), known)).toBeUndefined()
  expect(changedWords("mcp__s__drop", digestOf(changed), known)).toStartWith("mcp__s__drop is not what it was")
})

const reasons: readonly (readonly [Reason, boolean])[] = [
  [{ kind: "person" }, true],
  [{ kind: "rule", rule: "mcp__s", source: "session" }, true],
  [{ kind: "mode", mode: "bypassPermissions" }, false],
  [{ kind: "mode", mode: "acceptEdits" }, false],
  [{ kind: "hook", name: "h" }, false],
  [{ kind: "classifier", why: "fine" }, false],
  [{ kind: "read_only" }, false],
]

test.each(reasons)("what ran because of %j is kept as approved: %p", (reason, isKept) => {
  const known = new Map<string, string>()
  rememberAllowed("mcp__s__drop", "first", reason, known)
  expect(known.get("mcp__s__drop")).toBe(isKept ? "first" : undefined)
})

test("a rule speaks for a tool as it first was, only the person for what became of it", () => {
  const known = new Map([["mcp__s__drop", "first"]])
  rememberAllowed("mcp__s__drop", "second", { kind: "rule", rule: "mcp__s", source: "session" }, known)
  expect(known.get("mcp__s__drop")).toBe("first")
  rememberAllowed("mcp__s__drop", "second", { kind: "person" }, known)
  expect(known.get("mcp__s__drop")).toBe("second")
})

test.each([
  [undefined, "unknown"],
  [{ readOnlyHint: true }, "reads"],
  [{ readOnlyHint: true, destructiveHint: false }, "reads"],
  [{ readOnlyHint: true, destructiveHint: true }, "unknown"],
  [{ destructiveHint: false }, "unknown"],
] as const)("what comes of a tool that says %j of itself: %s", (annotations, effect) => {
  const tool = mcpTool({
    server: "s",
    name: "mcp__s__drop",
    definition: withHints(annotations),
    call: async () => failed({ kind: "closed", message: "It is not called." }),
    changed: () => undefined,
    allowed: () => {},
    limits: { startMs: 1, callMs: 1, outputTokens: 1 },
    clock: systemClock,
  })
  expect(tool.footprint({})).toMatchObject({ effect })
})
