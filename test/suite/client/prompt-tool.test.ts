/** A tool of an MCP server that answers permission questions: it may say yes, no, or change the call; anything else is a no. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { clientWith, text } from "../../kit/mcp/in-client.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

setDefaultTimeout(300_000)

function guarded(answer: (input: JsonObject) => JsonObject | Promise<JsonObject>, command = "touch a") {
  const asked: JsonObject[] = []
  const client = clientWith({
    guard: () => [
      {
        name: "decide",
        run(input) {
          asked.push(input)
          return answer(input)
        },
      },
    ],
  })
  const opened = openTestSession({
    script: [calls(bash(command)), says("Done.")],
    mode: "default",
    allow: [],
    client: { port: client.port, servers: ["guard"] },
    promptTool: "mcp__guard__decide",
  })
  return { asked, opened }
}
const json = (value: JsonObject): JsonObject => text(JSON.stringify(value))

test("it is asked about the call, and its yes lets the call run", async () => {
  const { asked, opened } = guarded(({ input }) => json({ behavior: "allow", updatedInput: input ?? {} }))
  await using t = await opened
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(existsSync(t.path("a"))).toBe(true)
  expect(asked).toEqual([
    { tool_name: "Bash", input: { command: "touch a" }, tool_use_id: expect.any(String) },
  ] as never)
})

test("its no is told to the model with its words, and it may change the call", async () => {
  const no = guarded(() => json({ behavior: "deny", message: "Not on a Monday." }))
  await using t = await no.opened
  await t.prompt("go")
  expect(existsSync(t.path("a"))).toBe(false)
  expect(t.results()[0]?.content).toContain("Not on a Monday.")
  const other = guarded(() => json({ behavior: "allow", updatedInput: { command: "touch b" } }))
  await using u = await other.opened
  await u.prompt("go")
  expect([existsSync(u.path("a")), existsSync(u.path("b"))]).toEqual([false, true])
})

test("its yes may change what is allowed, so that it is not asked again; the log says who answers", async () => {
  const rule = { toolName: "Bash", ruleContent: "touch *" }
  const update = { type: "addRules", rules: [rule], behavior: "allow", destination: "session" }
  const asked: JsonObject[] = []
  const client = clientWith({
    guard: () => [
      {
        name: "decide",
        run(input) {
          asked.push(input)
          return json({ behavior: "allow", updatedPermissions: [update] })
        },
      },
    ],
  })
  await using t = await openTestSession({
    script: [calls(bash("touch a")), calls(bash("touch b")), says("Done.")],
    mode: "default",
    allow: [],
    client: { port: client.port, servers: ["guard"] },
    promptTool: "mcp__guard__decide",
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect([existsSync(t.path("a")), existsSync(t.path("b"))]).toEqual([true, true])
  expect(asked).toHaveLength(1)
  const begun = t.entries().find((entry) => entry.kind === "begun")
  expect(begun).toMatchObject({ opening: { permissions: { promptTool: "mcp__guard__decide" } } })
})

test.each<[string, () => JsonObject | Promise<JsonObject>]>([
  ["no JSON", () => text("yes")],
  ["another word", () => json({ behavior: "maybe" })],
  ["changes that cannot be read", () => json({ behavior: "allow", updatedPermissions: [{ type: "addRules" }] })],
  ["a wrong input", () => json({ behavior: "allow", updatedInput: "rm -rf" })],
  ["an error", () => ({ ...json({ behavior: "allow" }), isError: true })],
  ["a failure", () => Promise.reject(new Error("gone"))],
])("it fails closed: %s", async (_name, answer) => {
  const { opened } = guarded(answer)
  await using t = await opened
  await t.prompt("go")
  expect(existsSync(t.path("a"))).toBe(false)
  expect(t.results()[0]?.content).toContain("The permission tool mcp__guard__decide gave no answer")
})

test("a tool that is not there says no to everything, and questions of other kinds are not left waiting", async () => {
  await using t = await openTestSession({
    script: [
      calls(bash("touch a")),
      calls(
        use("AskUserQuestion", {
          questions: [
            {
              question: "Which?",
              header: "H",
              options: [
                { label: "a", description: "x" },
                { label: "b", description: "y" },
              ],
              multiSelect: false,
            },
          ],
        }),
      ),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    promptTool: "mcp__nobody__decide",
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(existsSync(t.path("a"))).toBe(false)
  expect(t.results()[0]?.content).toContain("there is no such tool")
})

test("agents' calls are asked about too", async () => {
  const client = clientWith({ guard: () => [{ name: "decide", run: () => json({ behavior: "allow" }) }] })
  await using t = await openTestSession({
    script: [
      calls(use("Task", { description: "x", prompt: "x", subagent_type: "general-purpose" })),
      calls(bash("touch a")),
      says("Did it."),
      says("Done."),
    ],
    mode: "default",
    allow: [],
    client: { port: client.port, servers: ["guard"] },
    promptTool: "mcp__guard__decide",
  })
  await t.prompt("go")
  expect(existsSync(t.path("a"))).toBe(true)
})
