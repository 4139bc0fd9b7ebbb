/** What a tool was when it was allowed, and what its own word about itself is worth. */

import { expect, test } from "bun:test"
import { isReadOnly, isSafe } from "#agent/words/footprint.ts"
import type { Reason } from "#agent/words/permission.ts"
import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import { changedWords, digestOf, rememberAllowed } from "#kits/mcp/known-tools.ts"
import type { KnownDefinitions } from "#kits/mcp/ports.ts"
import { changeOf } from "#kits/mcp/tool-change.ts"
import { mcpTool } from "#kits/mcp/tool.ts"
import { systemClock } from "#lib/clock.ts"
import { failed } from "#lib/result.ts"

const plain: McpToolDefinition = { name: "drop", inputSchema: { type: "object" } }
const withHints = (annotations: McpToolDefinition["annotations"]): McpToolDefinition => ({
  ...plain,
  ...(annotations && { annotations }),
})

interface Known extends KnownDefinitions {
  readonly kept: Map<string, McpToolDefinition>
}

/** What was allowed, by the name of the tool. */
function knownFrom(...allowed: readonly (readonly [string, McpToolDefinition])[]): Known {
  const kept = new Map(allowed)
  return {
    kept,
    get: (tool) => {
      const definition = kept.get(tool)
      return definition && digestOf(definition)
    },
    set: (tool, _digest, definition) => void kept.set(tool, definition),
    definition: (digest) => [...kept.values()].find((definition) => digestOf(definition) === digest),
  }
}

test.each([
  ["its name", { ...plain, name: "keep" }],
  ["its title", { ...plain, title: "Drop" }],
  ["its description", { ...plain, description: "Drops." }],
  ["its input", { ...plain, inputSchema: { type: "object", properties: {} } }],
  ["that it only reads", withHints({ readOnlyHint: true })],
  ["that it destroys", withHints({ destructiveHint: true })],
  ["that it reaches far", withHints({ openWorldHint: true })],
] as const)("a tool that changes %s is another tool", (_, changed) => {
  const known = knownFrom(["mcp__s__drop", plain])
  expect(changedWords("mcp__s__drop", digestOf(plain), known)).toBeUndefined()
  expect(changedWords("mcp__s__drop", digestOf(changed), known)).toStartWith("mcp__s__drop has changed")
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
  const known = knownFrom()
  rememberAllowed("mcp__s__drop", plain, reason, known)
  expect(known.kept.get("mcp__s__drop")).toEqual(isKept ? plain : undefined)
})

const second: McpToolDefinition = { ...plain, description: "Drops more." }

test.each(reasons)("of a tool that changed only the person's yes approves, not %j", (reason) => {
  const known = knownFrom(["mcp__s__drop", plain])
  rememberAllowed("mcp__s__drop", second, reason, known)
  expect(known.kept.get("mcp__s__drop")).toEqual(reason.kind === "person" ? second : plain)
})

const made = (definition: McpToolDefinition, isReader = false): ReturnType<typeof mcpTool> =>
  mcpTool({
    server: "s",
    source: "user",
    isReader,
    name: "mcp__s__drop",
    definition,
    call: async () => failed({ kind: "closed", message: "It is not called." }),
    changed: () => undefined,
    change: async () => undefined,
    allowed: () => {},
    limits: { startMs: 1, callMs: 1, outputTokens: 1 },
    clock: systemClock,
  })

test.each([
  [undefined, { runsBeside: false, readsByMark: true }],
  [{ readOnlyHint: true }, { runsBeside: true, readsByMark: true }],
  [
    { readOnlyHint: true, destructiveHint: false },
    { runsBeside: true, readsByMark: true },
  ],
  [
    { readOnlyHint: true, openWorldHint: true },
    { runsBeside: true, readsByMark: true },
  ],
  [
    { readOnlyHint: true, destructiveHint: true },
    { runsBeside: false, readsByMark: false },
  ],
  [
    { readOnlyHint: true, destructiveHint: true, idempotentHint: true },
    { runsBeside: false, readsByMark: false },
  ],
  [{ readOnlyHint: false }, { runsBeside: false, readsByMark: false }],
  [{ destructiveHint: false }, { runsBeside: false, readsByMark: true }],
] as const)("what a tool that says %j of itself is good for", (annotations, { runsBeside, readsByMark }) => {
  const own = made(withHints(annotations)).footprint({})
  const marked = made(withHints(annotations), true).footprint({})
  // Its own word counts for the order of calls, and for nothing else.
  expect([isReadOnly(own), isSafe(own)]).toEqual([false, runsBeside])
  expect(isReadOnly(marked)).toBe(readsByMark)
  for (const { reaches } of [own, marked]) expect(reaches).toEqual(["mcp://s/"])
})

test("its words stand between marks, cut to a bound", () => {
  const tool = made({ ...plain, description: `${"x".repeat(5_000)}</server-text>` })
  expect(tool.about).toHaveLength(2_048)
  expect(tool.description).toBe(`<server-text server="s">\n${tool.about}\n</server-text>`)
  expect(made(plain).description).toBe("drop, a tool of the MCP server s.")
})

const rich: McpToolDefinition = {
  name: "drop",
  title: "Drop",
  description: "Drops a table.\nAsks before.",
  inputSchema: { type: "object", properties: { table: { type: "string" } } },
  annotations: { readOnlyHint: false },
}
const changedLines = async (now: McpToolDefinition, known: KnownDefinitions): Promise<readonly string[] | undefined> =>
  (await changeOf("mcp__s__drop", now, known))?.hunks.flatMap(({ lines }) => lines.filter((line) => line[0] !== " "))

test("what changed in a tool is shown line by line: words, input and hints", async () => {
  const known = knownFrom(["mcp__s__drop", rich])
  expect(await changedLines(rich, known)).toBeUndefined()
  expect(await changedLines({ ...rich, description: "Drops a table.\nAsks nobody." }, known)).toEqual([
    "-  Asks before.",
    "+  Asks nobody.",
  ])
  expect(
    await changedLines({ ...rich, inputSchema: { type: "object", properties: { all: { type: "boolean" } } } }, known),
  ).toEqual(['-      "table": {', '-        "type": "string"', '+      "all": {', '+        "type": "boolean"'])
  expect(await changedLines({ ...rich, annotations: { readOnlyHint: true } }, known)).toEqual([
    "-Hints: readOnlyHint false",
    "+Hints: readOnlyHint true",
  ])
})

test("a change in what the model is not given is named, and a long one is cut and says so", async () => {
  const long = { ...rich, description: "x".repeat(3_000) }
  const known = knownFrom(["mcp__s__drop", long])
  expect(await changedLines({ ...long, description: `${long.description}y` }, known)).toEqual([
    "+It changed only in what the model does not get: what is cut off, or cannot be seen.",
  ])
  const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`f${at}`, {}]))
  const lines = (await changedLines({ ...rich, inputSchema: { type: "object", properties } }, known)) ?? []
  expect(lines.length).toBeLessThan(1_010)
  expect(lines.at(-1)).toBe("+More has changed than can be shown here.")
})

test("where what was allowed is not known, or is not what was kept, all of the tool is shown as new", async () => {
  const known = knownFrom(["mcp__s__drop", rich])
  for (const definition of [() => undefined, () => plain]) {
    const change = await changeOf("mcp__s__drop", second, { ...known, definition })
    expect(change).toMatchObject({ path: "mcp__s__drop", created: true })
    expect(change?.hunks.flatMap(({ lines }) => lines).every((line) => line.startsWith("+"))).toBe(true)
  }
})
