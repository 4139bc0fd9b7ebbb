/** Finding and loading tools: by name, by words, and what is said when there is nothing. */

import { expect, test } from "bun:test"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, type AnyTool, type Outcome } from "#agent/words/tool.ts"
import type { Offer } from "#kits/mcp/listing.ts"
import { toolSearchTool } from "#kits/mcp/tool-search.ts"
import type { JsonObject } from "#lib/json.ts"

const tool = (name: string, description: string, fields: readonly string[] = []): AnyTool => ({
  name,
  description,
  schema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])) },
  parse: (value) => ({ ok: true, value }),
  title: () => name,
  footprint: () => touchesNothing(),
  run: async () => answered("done"),
  maxResultChars: 1_000,
})

const tools: readonly AnyTool[] = [
  tool("mcp__github__create_issue", "Opens an issue in a repository.", ["title", "labels"]),
  tool("mcp__github__list_issues", "Lists issues."),
  tool("mcp__slack__send_message", "Sends a message; may create a channel."),
  tool("mcp__slack__list", "Lists channels."),
]

async function search(
  input: JsonObject,
  { offer = (_tool: AnyTool): Offer => "reference", callWith = undefined as string | undefined, present = tools } = {},
): Promise<Outcome | string> {
  const made = toolSearchTool({ tools: () => present, offer, callWith: () => callWith })
  const parsed = made.parse(input)
  if (!parsed.ok) return parsed.message
  return made.run(parsed.value, { callId: "c", signal: new AbortController().signal, progress: () => {} })
}

const found = async (query: string, more: JsonObject = {}): Promise<readonly string[] | string> => {
  const outcome = await search({ query, ...more })
  if (typeof outcome === "string" || typeof outcome.content === "string") return String(outcome)
  return outcome.content.flatMap((block) => (block.type === "tool_reference" ? [block.tool_name] : []))
}

test("exact names load exactly these, in their order, each once, also by the server's own name for them", async () => {
  expect(await found("select:mcp__slack__list,mcp__github__create_issue")).toEqual([
    "mcp__slack__list",
    "mcp__github__create_issue",
  ])
  expect(await found("SELECT: create_issue , create_issue,MCP__GITHUB__CREATE_ISSUE,")).toEqual([
    "mcp__github__create_issue",
  ])
})

test("a hint of the server counts like a name", async () => {
  const hinted = { ...tool("mcp__pay__settle", "Does the books."), searchHint: "Invoice billing" }
  const outcome = await search({ query: "invoice" }, { present: [...tools, hinted] })
  expect(outcome).toMatchObject({ content: [{ type: "tool_reference", tool_name: "mcp__pay__settle" }] })
})

test("words find what is named so before what only tells of it; words that must occur decide", async () => {
  expect(await found("create issue")).toEqual([
    "mcp__github__create_issue",
    "mcp__github__list_issues",
    "mcp__slack__send_message",
  ])
  expect(await found("+slack list")).toEqual(["mcp__slack__list", "mcp__slack__send_message"])
  expect(await found("labels")).toEqual(["mcp__github__create_issue"])
  expect(await found("list", { max_results: 1 })).toHaveLength(1)
})

test("the result shows the names to a person, and gives them to a program", async () => {
  const outcome = await search({ query: "select:list_issues" })
  expect(outcome).toMatchObject({
    isError: false,
    display: { kind: "list", items: ["mcp__github__list_issues"] },
    data: { tools: ["mcp__github__list_issues"] },
  })
})

const nothing: readonly (readonly [what: string, input: JsonObject, words: RegExp])[] = [
  [
    "an unknown name",
    { query: "select:create_isue" },
    /no tool named create_isue\. Did you mean mcp__github__create_issue/,
  ],
  ["a name like no other", { query: "select:zzzzzzzz" }, /no tool named zzzzzzzz\. Search with words/],
  ["no names at all", { query: "select: , " }, /No tool was named/],
  ["words that fit nothing", { query: "weather" }, /None of the 4 tools .* fits "weather"/],
  ["a word that must occur and does not", { query: "+weather issue" }, /None of the 4 tools/],
]

for (const [what, input, words] of nothing)
  test(`nothing is loaded for ${what}`, async () => {
    const outcome = await search(input)
    expect(outcome).toMatchObject({ isError: true, content: expect.stringMatching(words) })
  })

test("one name of several that is unknown does not keep the others from being loaded", async () => {
  expect(await found("select:nonsense,list_issues")).toEqual(["mcp__github__list_issues"])
})

for (const input of [
  {},
  { query: "" },
  { query: "  " },
  { query: 3 },
  { query: "a", max_results: 0 },
  { query: "a", max_results: 21 },
  { query: "a", max_results: 1.5 },
  { query: "a", most: 3 },
])
  test(`an input of another kind is named: ${JSON.stringify(input)}`, async () => {
    expect(typeof (await search(input))).toBe("string")
  })

test("while no server is there, it says so", async () => {
  expect(await search({ query: "anything" }, { present: [] })).toMatchObject({
    isError: true,
    content: expect.stringContaining("You will be told"),
  })
})

test("what cannot be referred to comes in words, with how to call it, and never mixed with references", async () => {
  const offer = ({ name }: AnyTool): Offer =>
    name.endsWith("create_issue") ? "words" : name.endsWith("list") ? "listed" : "reference"
  const outcome = await search({ query: "select:create_issue,list,send_message" }, { offer, callWith: "CallTool" })
  if (typeof outcome === "string" || typeof outcome.content !== "string") throw new Error("it is all words")
  expect(outcome.content).toContain("mcp__github__create_issue\nOpens an issue")
  expect(outcome.content).toContain('"labels"')
  expect(outcome.content).toContain("mcp__slack__list is in your list of tools already.")
  expect(outcome.content).toContain("mcp__slack__send_message\nSends a message")
  expect(outcome.content).toEndWith("Call them with CallTool.")
})
