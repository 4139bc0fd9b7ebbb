/** Models with a window of 8k: a short prompt, few tools, and a session that goes on past its window without a refused request. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import type { TestSessionOptions } from "../../kit/open-test-session.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"
import { sentIn, toolsIn } from "../../kit/sent.ts"
import { wireFormats } from "../../kit/wire-formats.ts"

setDefaultTimeout(300_000)

const window = 8_192
const small: Omit<TestSessionOptions, "script"> = {
  format: wireFormats.chat,
  facts: { window, maxOutput: 8_000 },
  simulator: { window },
  extensions: { claudeFolder: "/nonexistent", bundled: true },
}
const few = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "ExitPlanMode"]

const isSummaryRequest = ({ messages }: Pick<SimRequest, "messages">): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

/** Reads, prints, edits and talks, turn after turn. */
const worker: ScenarioFunction = (request, { turn }) => {
  if (isSummaryRequest(request))
    return says("<summary>1. Request and intent: numbers are printed and read. 8. Current work: printing.</summary>")
  const last = request.messages.at(-1)?.content ?? []
  if (last.some(({ type }) => type === "tool_result")) return says("It is all there. ".repeat(20))
  return turn % 3 === 0
    ? calls(read("long.txt"))
    : turn % 3 === 1
      ? calls({ text: "I print." }, bash("seq 1 4000"), use("Grep", { pattern: "line", output_mode: "content" }))
      : calls(bash("seq 1 900"))
}

/** Chat is what local servers speak; the profile must not depend on it. */
const over = [
  { format: wireFormats.chat, turns: 20 },
  { format: wireFormats.responses, turns: 7 },
  { format: wireFormats.gemini, turns: 7 },
  { format: wireFormats.messages, turns: 7 },
] as const

test.each(over)("turns in 8k: nothing is refused, and what the user said last is there: $format.name", async (row) => {
  const { format, turns } = row
  await using t = await openTestSession({
    ...small,
    format,
    files: { "long.txt": "a line of the file\n".repeat(2_000), "CLAUDE.md": "Never use tabs. ".repeat(1_000) },
    script: worker,
  })
  for (let turn = 1; turn <= turns; turn++) {
    expect(await t.prompt(`turn ${turn}: go on`)).toEqual({ reason: "completed" })
    expect(JSON.stringify(t.requests().at(-1))).toContain(`turn ${turn}: go on`)
  }
  expect(
    t.simulator.requests.flatMap(({ answered }) => (answered.kind === "refusal" ? [answered.message] : [])),
  ).toEqual([])
  expect(t.entries().filter(({ kind }) => kind === "compaction").length).toBeGreaterThan(turns > 10 ? 1 : 0)
})

test.each(over)(
  "the tools are few, the prompt is short, and speaks of nothing else: $format.name",
  async ({ format }) => {
    await using t = await openTestSession({
      ...small,
      format,
      script: [calls(use("TodoWrite", { todos: [] })), says("Done.")],
    })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    const [first] = t.simulator.requests
    expect(toolsIn(first).toSorted()).toEqual(few.toSorted())
    expect([...(await t.ask({ type: "tools" }))].toSorted()).toEqual(few.toSorted())
    const { system, body } = sentIn(first)
    expect(system.length + JSON.stringify(body.tools).length).toBeLessThan(5_000)
    expect(JSON.stringify(first?.body)).not.toMatch(/Skill|TodoWrite|Task\b/)
    expect(String(t.results()[0]?.content)).toContain("There is no tool named TodoWrite.")
  },
)

test("by the setting, whatever the window; and not at all where the setting says so", async () => {
  for (const [facts, isSmall] of [
    [{ window: 200_000, profile: "small" }, true],
    [{ window: 16_000, profile: "full" }, false],
    [{ window: 31_000 }, true],
    [{ window: 32_000 }, false],
  ] as const) {
    await using t = await openTestSession({ ...small, simulator: {}, facts, script: [says("ok")] })
    await t.prompt("go")
    expect(toolsIn(t.simulator.requests[0]).includes("TodoWrite")).toBe(!isSmall)
  }
})

test("tools that the user names are offered, and so are those of embedders", async () => {
  await using t = await openTestSession({ ...small, tools: ["Read", "TodoWrite"], script: [says("ok")] })
  await t.prompt("go")
  expect(toolsIn(t.simulator.requests[0])).toEqual(["Read", "TodoWrite"])
})

test("a change between a large and a small model changes tools and prompt, and back", async () => {
  await using t = await openTestSession({
    ...small,
    simulator: {},
    facts: {},
    model: {
      factsOf: (id) => ({ id, provider: "local", window: id.endsWith("tiny") ? 8_000 : 200_000, maxOutput: 2_000 }),
    },
    files: { "a.txt": "one\n" },
    script: [calls(read("a.txt")), says("One."), calls(edit("a.txt", "one", "two")), says("Two."), says("Three.")],
  })
  await t.prompt("one")
  await t.session.submit({ type: "set_model", model: "local/tiny" })
  await t.prompt("two")
  await t.session.submit({ type: "set_model", model: "local/chat-1" })
  await t.prompt("three")
  expect(t.read("a.txt")).toBe("two\n")
  const counts = t.simulator.requests.map((request) => toolsIn(request).length)
  expect(counts.slice(0, 2)).toEqual([counts[0] ?? 0, counts[0] ?? 0])
  expect(counts.slice(2, 4)).toEqual([few.length, few.length])
  expect(counts[4]).toBe(counts[0])
  expect(t.simulator.stats().refusals).toBe(0)
})

test("plan mode works with few tools", async () => {
  await using t = await openTestSession({
    ...small,
    mode: "plan",
    random: () => 0,
    files: { "a.txt": "one\n" },
    script: [
      calls(read("a.txt")),
      calls(use("Write", { file_path: "../state/plans/agile-adding-acorn.md", content: "# Plan\n- a.txt\n" })),
      calls(use("ExitPlanMode", {})),
      calls(edit("a.txt", "one", "two")),
      says("Done."),
      says("Checked."),
    ],
    answers: ({ ask }) => (ask.kind === "plan" ? { kind: "approve", mode: "acceptEdits", wishes: [] } : undefined),
  })
  expect(await t.prompt("make it two")).toEqual({ reason: "completed" })
  expect(t.read("a.txt")).toBe("two\n")
  expect(t.simulator.stats().refusals).toBe(0)
})
