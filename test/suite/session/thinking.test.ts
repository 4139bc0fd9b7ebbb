/** How much the model thinks: chosen, raised for a turn, brought by files, kept over a resume. Every request passes the strict simulator. */

import { expect, test } from "bun:test"
import { decodeFile } from "#kits/subagents/decode.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { cast, requestsOf, task } from "../subagents/cast.ts"

const model = { id: "claude-opus-5-5" }
const adaptive = { type: "adaptive", display: "summarized" }

const start = (options: Partial<TestSessionOptions> = {}): Promise<TestSession> =>
  openTestSession({
    script: [says("One."), says("Two."), says("Three."), says("Four.")],
    limits: { thinking: { type: "auto" } },
    model,
    ...options,
  })

/** What each request says of thinking. */
const sent = (t: TestSession): readonly unknown[] =>
  t.simulator.requests.map(({ body }) => {
    const { thinking, output_config } = Object(body)
    return [thinking ?? "nothing", output_config?.effort ?? "nothing"]
  })

test("an effort that is chosen counts from the next request on, and for a resumed session", async () => {
  await using t = await start()
  await t.prompt("one")
  await t.session.submit({ type: "set_effort", effort: "xhigh" })
  await t.prompt("two")
  await using again = await t.reopen({ model: { ...model, given: false } })
  expect((await again.ask({ type: "state" })).thinking).toEqual({ type: "auto", effort: "xhigh" })
  await again.prompt("three")
  await again.session.submit({ type: "set_effort", effort: "auto" })
  await again.prompt("four")
  expect(sent(again)).toEqual([
    [adaptive, "nothing"],
    [adaptive, "xhigh"],
    [adaptive, "xhigh"],
    [adaptive, "nothing"],
  ])
})

test("what is asked for on the command line counts more than what the log says", async () => {
  await using t = await start()
  await t.session.submit({ type: "set_effort", effort: "low" })
  await using again = await t.reopen({
    model: { ...model, given: false },
    limits: { thinking: { type: "auto", effort: "max" }, thinkingGiven: true },
  })
  expect((await again.ask({ type: "state" })).thinking).toEqual({ type: "auto", effort: "max" })
})

test("thinking is turned off and on, whether or not the model thinks by itself", async () => {
  await using t = await start({ model: { id: "claude-haiku-5-5" } })
  await t.session.submit({ type: "set_thinking", to: "toggle" })
  await t.prompt("one")
  await t.session.submit({ type: "set_thinking", to: "toggle" })
  await t.prompt("two")
  await t.session.submit({ type: "set_model", model: "claude-sonnet-4-5" })
  await t.session.submit({ type: "set_thinking", to: { type: "auto" } })
  await t.prompt("three")
  await t.session.submit({ type: "set_thinking", to: "toggle" })
  await t.prompt("four")
  expect(sent(t)).toEqual([
    [{ type: "disabled" }, "nothing"],
    [adaptive, "nothing"],
    ["nothing", "nothing"],
    [{ type: "enabled", budget_tokens: 10_000 }, "nothing"],
  ])
})

test("words in a prompt raise the effort of its turn, also after its calls, and of no other", async () => {
  await using t = await start({
    script: [calls(use("TodoWrite", { todos: [] })), says("Done."), says("Two."), says("Three.")],
  })
  await t.prompt("ultrathink: what is wrong?")
  await t.prompt("thanks")
  // The model thinks at that level by itself, so nothing in the request changes.
  await t.prompt("now think about a name")
  expect(sent(t)).toEqual([
    [adaptive, "max"],
    [adaptive, "max"],
    [adaptive, "nothing"],
    [adaptive, "nothing"],
  ])
  expect((await t.ask({ type: "state" })).thinking).toEqual({ type: "auto" })
})

test("words switch thinking on for a model that does not think by itself", async () => {
  await using t = await start({ model: { id: "claude-sonnet-4-5" } })
  await t.prompt("think hard about it")
  await t.prompt("thanks")
  expect(sent(t)).toEqual([
    [{ type: "enabled", budget_tokens: 16_000 }, "nothing"],
    ["nothing", "nothing"],
  ])
})

test("an unchanged effort leaves the cached prefix alone; one that is raised does not", async () => {
  await using t = await start()
  await t.prompt("one")
  await t.prompt("two")
  await t.prompt("think about three")
  expect(t.simulator.stats().cacheBreaks).toEqual([])
  await t.prompt("think harder about four")
  expect(t.simulator.stats().cacheBreaks).toMatchObject([{ changed: "parameters" }])
})

test("a command and an agent bring the effort that their files ask for", async () => {
  const definitions = decodeFile({
    path: "/a.md",
    text: "---\nname: quick\ndescription: Quick work.\neffort: low\n---\nBe quick.",
    source: "user",
  })
  expect(definitions.problems).toEqual([])
  await using t = await start({
    files: { ".claude/commands/deep.md": "---\ndescription: Deep.\neffort: max\n---\nThink it through." },
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    place: { trusted: true },
    agents: definitions.definitions,
    script: cast({
      main: [says("Deep."), calls(task("scout", { subagent_type: "quick", model: "claude-opus-5-5" })), says("Over.")],
      scout: [says("Found.")],
    }),
  })
  await t.prompt("/deep")
  await t.prompt("send someone")
  expect(sent(t).map((one) => Object(one)[1])).toEqual(["max", "nothing", "low", "nothing"])
  expect(requestsOf(t, "scout")[0]).toMatchObject({ thinking: adaptive, output_config: { effort: "low" } })
})

test("an effort that is no level is named, and the file counts without it", () => {
  const { problems, definitions } = decodeFile({
    path: "/a.md",
    text: "---\nname: quick\ndescription: Quick.\neffort: huge\n---\nBe quick.",
    source: "user",
  })
  expect(problems).toEqual(["/a.md: effort must be one of low, medium, high, xhigh, max, not huge; it is left out."])
  expect(definitions).toHaveLength(1)
})

test("/effort shows the levels that the model takes and changes them", async () => {
  await using t = await start({ model: { id: "claude-sonnet-4-6" } })
  await t.session.submit({ type: "set_effort", effort: "xhigh" })
  expect(await t.ask({ type: "command", name: "effort", args: "" })).toEqual({
    text: [
      "Effort: xhigh (claude-sonnet-4-6 uses high) · Thinking: on",
      "1.  auto    the model's default, high",
      "2.  low     fastest and cheapest, for simple tasks",
      "3.  medium  balanced",
      "4.  high    for hard problems                       (current)",
      "5.  max     no limit on tokens",
      "/effort <level> changes it.",
    ].join("\n"),
    choices: ["auto", "low", "medium", "high", "max"],
  })
  expect(await t.ask({ type: "command", name: "effort", args: "low" })).toEqual({
    text: "",
    ops: [{ type: "set_effort", effort: "low" }],
  })
  expect(await t.ask({ type: "command", name: "effort", args: "2" })).toEqual({
    text: "",
    ops: [{ type: "set_effort", effort: "low" }],
  })
  expect(await t.ask({ type: "command", name: "effort", args: "6" })).toEqual({
    isError: true,
    text: "There is no choice 6. They are numbered 1 to 5.",
  })
  expect(await t.ask({ type: "command", name: "effort", args: "huge" })).toEqual({
    isError: true,
    text: "There is no effort level huge. The levels are low, medium, high, xhigh, max and auto.",
  })
})
