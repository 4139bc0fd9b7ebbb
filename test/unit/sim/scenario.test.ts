import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { loadScenario } from "#sim/load-scenario.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { hello, jsonOf, open, post } from "./open.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sim-"))
})
afterAll(() => rm(folder, { recursive: true }))

const write = async (name: string, text: string): Promise<string> => {
  await Bun.write(join(folder, name), text)
  return join(folder, name)
}

const contentOf = async (response: Response): Promise<JsonValue | undefined> => (await jsonOf(response)).content
const textOf = async (response: Response): Promise<unknown> => {
  const content = await contentOf(response)
  return Array.isArray(content) && isObject(content[0]) ? content[0].text : undefined
}
const user = (content: string): JsonObject => ({ ...hello, messages: [{ role: "user", content }] })
const resulting = (content: string): JsonObject => ({
  ...hello,
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: content }] }] },
  ],
})

test("replies come in order, each as often as it says, and then the scenario is over", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "one" }, { content: "two", times: 2 }] } })
  const said: unknown[] = []
  for (let i = 0; i < 4; i++) said.push(await textOf(await post(sim.url, hello)))
  expect(said).toEqual(["one", "two", "two", expect.stringMatching(/scenario is over/)])
  expect(sim.stats()).toMatchObject({ replies: 4, repliesAfterEnd: 1 })
  sim.reset()
  expect(await textOf(await post(sim.url, hello))).toBe("one")
})

test("two requests at the same moment never get the same reply", async () => {
  const replies = Array.from({ length: 20 }, (_, index) => ({ content: `${index}` }))
  await using sim = await open({ scenario: { replies } })
  const said = await Promise.all(replies.map(async () => textOf(await post(sim.url, hello))))
  expect(new Set(said).size).toBe(20)
})

test("what fits comes before what is next in order", async () => {
  await using sim = await open({
    scenario: {
      replies: [
        { content: "in order" },
        { when: { lastUserText: "weather" }, content: "sunny" },
        { when: { lastUserText: "/^w\\w+r$/i", model: "sim" }, content: "by pattern", times: "always" },
        { when: { lastToolResult: /exit code [1-9]/i }, content: "it failed" },
        { when: { system: "terse", tool: "Bash" }, content: "ok." },
      ],
    },
  })
  const tools = [{ name: "Bash", input_schema: { type: "object" } }]
  const asked = [
    user("how is the weather"),
    user("WEATHER"),
    resulting("Exit code 2"),
    { ...user("x"), system: "Be terse.", tools },
    { ...user("x"), system: "Be terse." },
  ]
  const said: unknown[] = []
  for (const body of asked) said.push(await textOf(await post(sim.url, body)))
  expect(said).toEqual(["sunny", "by pattern", "it failed", "ok.", "in order"])
})

test("captures from results stand in later texts and inputs; a name never captured is an error", async () => {
  await using sim = await open({
    scenario: {
      replies: [
        {
          capture: { path: "(\\S+\\.ts)", line: /line \d+/ },
          content: ["Opening ${capture.path}", { tool: "Read", input: { at: ["${capture.path}", 1] } }],
        },
        { content: "It was ${capture.line}, and ${capture.nothing}" },
      ],
    },
  })
  expect(await contentOf(await post(sim.url, resulting("see src/a.ts line 12")))).toMatchObject([
    { text: "Opening src/a.ts" },
    { type: "tool_use", name: "Read", input: { at: ["src/a.ts", 1] } },
  ])
  const failed = await post(sim.url, hello)
  expect([failed.status, await jsonOf(failed)]).toMatchObject([
    400,
    { error: { message: "replies.1: nothing was captured under nothing" } },
  ])
})

test("a reply decides its stop reason, its usage and its ids", async () => {
  await using sim = await open({
    scenario: {
      replies: [
        {
          content: [{ tool: "Read", id: "toolu_mine" }],
          stopReason: "max_tokens",
          usage: { input_tokens: 7, output_tokens: 9 },
        },
      ],
    },
  })
  expect(await jsonOf(await post(sim.url, hello))).toMatchObject({
    content: [{ id: "toolu_mine", input: {} }],
    stop_reason: "max_tokens",
    usage: { input_tokens: 7, output_tokens: 9 },
  })
})

const load = async (path: string): Promise<Scenario> => {
  const loaded = await loadScenario(path)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value
}

test("a scenario can be YAML", async () => {
  const path = await write(
    "good.yaml",
    `name: a short talk
replies:
  - content: Hello.
  - when: { lastUserText: /bye/i }
    content:
      - thinking: They are leaving.
      - text: Goodbye.
      - tool: Bash
        input: { command: logout }
    timing: { ttftMs: 1, tokensPerSecond: 5000, pauses: [{ afterTokens: 1, ms: 1 }] }
`,
  )
  await using sim = await open({ scenario: await load(path) })
  expect(await contentOf(await post(sim.url, user("BYE")))).toMatchObject([
    { type: "thinking", thinking: "They are leaving." },
    { type: "text", text: "Goodbye." },
    { type: "tool_use", name: "Bash", input: { command: "logout" } },
  ])
  expect(await textOf(await post(sim.url, hello))).toBe("Hello.")
})

test("a scenario can be a module: a list, or a function of the request", async () => {
  const list = await write("list.ts", `export const scenario = { replies: [{ content: "typed" as string }] }`)
  await using first = await open({ scenario: await load(list) })
  expect(await textOf(await post(first.url, hello))).toBe("typed")

  const program = await write(
    "program.ts",
    "export default async (request: { tools: string[] }, { turn }: { turn: number }) => ({ content: `turn ${turn}, ${request.tools.length} tools` })",
  )
  await using second = await open({ scenario: await load(program) })
  expect(await textOf(await post(second.url, resulting("x")))).toBe("turn 1, 0 tools")
})

test("a function that throws or answers nonsense is told as an error of the scenario", async () => {
  await using throwing = await open({
    scenario: () => {
      throw new Error("oops")
    },
  })
  expect(await jsonOf(await post(throwing.url, hello))).toMatchObject({
    error: { message: expect.stringContaining("oops") },
  })
  const path = await write("nonsense.ts", `export default () => ({ contents: "typo" })`)
  await using nonsense = await open({ scenario: await load(path) })
  expect(await jsonOf(await post(nonsense.url, hello))).toMatchObject({
    error: { message: expect.stringContaining("unknown field contents; did you mean content?") },
  })
})

const bad: readonly (readonly [what: string, name: string, text: string, message: RegExp])[] = [
  ["no YAML", "a.yaml", "replies:\n  - content: ok\n  - content: [\n", /a\.yaml: .*\(near line 3\)/],
  ["no replies", "b.yaml", "name: x\n", /b\.yaml: replies: /],
  [
    "an unknown field",
    "c.yaml",
    "replies:\n  - contnet: hi\n",
    /replies\.0: unknown field contnet; did you mean content\?/,
  ],
  ["an unknown fault", "d.yaml", "replies:\n  - fault: lightning\n", /replies\.0\.fault: /],
  [
    "a wrong fault setting",
    "e.yaml",
    "replies:\n  - fault: { name: overloaded, times: 0 }\n",
    /replies\.0\.fault\.times: /,
  ],
  ["a bad pattern", "f.yaml", "replies:\n  - when: { system: '/(/' }\n", /replies\.0\.when\.system: \/\(\/ is not/],
  [
    "a wrong block",
    "g.yaml",
    "replies:\n  - content: [{ tool: Read, inputs: {} }]\n",
    /replies\.0\.content\.0: unknown field inputs/,
  ],
  ["a module without a scenario", "h.ts", "export const other = 1", /h\.ts: export the scenario/],
  ["a module that fails", "i.ts", "throw new Error('broken module')", /i\.ts: .*broken module/],
  [
    "a module with a wrong list",
    "j.ts",
    "export default { replies: [{ times: 'often' }] }",
    /j\.ts: replies\.0\.times/,
  ],
]

test.each(bad)("%s is refused, with the file and the field named", async (_, name, text, message) => {
  const loaded = await loadScenario(await write(name, text))
  expect(loaded).toEqual({ ok: false, failure: { kind: "bad_scenario", message: expect.stringMatching(message) } })
})

test("a missing file and a wrong scenario in code are failures too", async () => {
  expect(await loadScenario(join(folder, "none.yaml"))).toMatchObject({ ok: false, failure: { kind: "bad_scenario" } })
  expect(await openSimulator({ scenario: { replies: [{ times: -1 }] } })).toMatchObject({
    ok: false,
    failure: { kind: "bad_scenario", message: expect.stringContaining("replies.0.times") },
  })
})
