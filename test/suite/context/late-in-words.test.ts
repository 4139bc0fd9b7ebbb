/** Late tools for models that cannot be given one later: definitions in words, and one constant tool that calls them. */

import { expect, test } from "bun:test"
import { bodies, expectKept, search, toolNames, told } from "../../kit/late-requests.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"

const oldModel = { id: "claude-3-7-sonnet", small: "claude-3-5-haiku" }

test("where the provider cannot defer, definitions come in words, calls go through one constant tool, and the prefix holds too", async () => {
  const server = lateServer({ acts: true })
  await using t = await openTestSession({
    script: (_request, { request }) => {
      if (request === 0) return (server.offer({ echo: "Says a word again", rm: "Removes" }), calls(bash("true")))
      if (request === 1) return calls(search("again"))
      if (request === 2) return calls(use("CallTool", { name: "mcp__box__echo", input: { word: "old" } }))
      if (request === 3) return calls(use("CallTool", { name: "mcp__box__rm", input: { word: "all" } }))
      if (request === 4) return calls(use("CallTool", { name: "mcp__box__eco", input: {} }))
      if (request === 5) return calls(use("CallTool", { name: "mcp__box__echo", input: { word: 3 } }))
      return says("Done.")
    },
    kits: [server.kit],
    model: oldModel,
    allow: ["Bash", "mcp__box__echo"],
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  const results = t.results().map(({ tool, content, isError }) => ({ tool, content, isError }))
  expect(results[1]?.content).toContain("What it takes, as JSON Schema")
  expect(results[1]?.content).toContain("Call them with CallTool.")
  expect(results[2]).toEqual({ tool: "CallTool", content: "echo says old", isError: false })
  // Nobody can be asked, and the rule is about the other tool.
  expect(results[3]).toMatchObject({ isError: true })
  expect(results[4]?.content).toContain("Did you mean mcp__box__echo")
  expect(results[5]?.content).toContain("word must be a string.")
  expect(server.calls).toEqual(["echo old"])
  const decided = t.entries().flatMap((entry) => (entry.kind === "decision" ? [[entry.tool, entry.behavior]] : []))
  expect(decided).toContainEqual(["mcp__box__echo", "allow"])
  expect(decided).toContainEqual(["mcp__box__rm", "deny"])
  expect(told(t)[0]).toContain("then call them with CallTool.")
  expectKept(t)
  expect(toolNames(bodies(t)[0], "listed")).toContain("CallTool")
  expect(bodies(t).every((body) => toolNames(body, "deferred").length === 0)).toBe(true)
  expect(t.simulator.stats()).toMatchObject({ refusals: 0, cacheBreaks: [] })
})

test("a change to a model that cannot defer, and back, gives each what it can read", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: (request) =>
      JSON.stringify(request.messages.at(-1)).includes("load it") ? calls(search("select:echo")) : says("Done."),
    kits: [server.kit],
  })
  await t.prompt("first")
  server.offer({ echo: "Says a word again" })
  await t.prompt("load it")
  void t.session.submit({ type: "set_model", model: oldModel.id })
  await t.prompt("older")
  const older = bodies(t).at(-1)
  expect(JSON.stringify(older)).not.toContain("tool_reference")
  expect(JSON.stringify(older?.messages)).toContain("Says a word again\\nWhat it takes")
  expect(toolNames(older, "listed")).toContain("CallTool")
  void t.session.submit({ type: "set_model", model: "claude-sonnet-5" })
  await t.prompt("newer")
  expect(JSON.stringify(bodies(t).at(-1)?.messages)).toContain("tool_reference")
  expect(t.simulator.stats().refusals).toBe(0)
})

test("a rule about the tool that calls others hides it, and there is no way around", async () => {
  const server = lateServer()
  await using t = await openTestSession({
    script: [calls(use("CallTool", { name: "mcp__box__echo", input: { word: "old" } })), says("Done.")],
    kits: [server.kit],
    model: oldModel,
    deny: ["CallTool"],
  })
  server.offer({ echo: "Says a word again" })
  await t.prompt("go")
  expect(toolNames(bodies(t)[0], "listed")).not.toContain("CallTool")
  expect(t.results()[0]?.content).toContain("There is no tool named CallTool")
  expect(server.calls).toEqual([])
})
