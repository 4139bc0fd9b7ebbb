/** The clarify gate: the model asks and restates the task before anything acts, in every mode, and once. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { permissionModes } from "#agent/words/permission.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"

const asks = use("AskUserQuestion", {
  questions: [
    {
      question: "Which colour?",
      header: "Colour",
      options: [
        { label: "Red", description: "red" },
        { label: "Blue", description: "blue" },
      ],
    },
  ],
})
const confirms = (task: string, nothingUnclear = false) => use("ConfirmTask", { task, nothingUnclear })
const blue = ({ ask }: Question): Answer =>
  ask.kind === "choice" ? { kind: "choices", answers: { "Which colour?": "Blue" } } : { kind: "allow" }

const stage = async (t: TestSession): Promise<string> => (await t.ask({ type: "stage" })).stage
const contents = (t: TestSession): readonly string[] => t.results().map(({ content }) => String(content))

for (const mode of permissionModes.filter((one) => one !== "plan" && one !== "delegate" && one !== "dontAsk"))
  test(`${mode}: nothing acts before, everything after`, async () => {
    await using t = await openTestSession({
      gates: { clarify: true },
      mode,
      bypassAvailable: true,
      allow: ["Bash", "Edit"],
      script: [
        calls(write("a.txt", "x\n")),
        calls(bash("touch b.txt")),
        calls(asks),
        calls(confirms("Paint it blue.")),
        calls(write("a.txt", "blue\n")),
        says("Painted."),
      ],
      answers: blue,
    })
    await t.prompt("Paint it")
    expect(contents(t).slice(0, 2)).toEqual([
      expect.stringContaining("The task is not confirmed yet"),
      expect.stringContaining("The task is not confirmed yet"),
    ])
    expect(existsSync(t.path("b.txt"))).toBe(false)
    expect(t.read("a.txt")).toBe("blue\n")
    expect(await t.ask({ type: "stage" })).toMatchObject({ stage: "completed", clarifiedQuery: "Paint it blue." })
    const said = t.requests().flatMap((messages) => JSON.stringify(messages))
    expect(said[0]).toContain("make sure that you understand the task")
  })

test("it cannot be skipped, and nothing unclear has to be said", async () => {
  await using t = await openTestSession({
    gates: { clarify: true },
    script: [
      says("What colour?"),
      calls(confirms("Paint it.")),
      calls(confirms("Paint it.", true)),
      calls(confirms("Paint it twice.", true)),
      says("Fine."),
    ],
    answers: blue,
  })
  await t.prompt("Paint it")
  expect(contents(t)).toEqual([
    expect.stringContaining("You have not asked anything"),
    expect.stringContaining("The task is confirmed. From here on this is what is to be done:\nPaint it."),
    expect.stringContaining("confirmed already"),
  ])
  // Its first answer was sent back once.
  expect(t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "gate_unclear")).toHaveLength(1)
  expect(t.entries().flatMap((entry) => (entry.kind === "gate" ? [entry] : []))).toMatchObject([
    { gate: "clarify", text: "Paint it.", asked: false },
  ])
})

test("a question that nobody answers keeps it closed", async () => {
  await using t = await openTestSession({
    gates: { clarify: true },
    mode: "bypassPermissions",
    bypassAvailable: true,
    script: [
      calls(asks),
      calls(confirms("Paint it.", true), write("a.txt", "x\n")),
      says("I need a colour."),
      says("Really."),
    ],
  })
  await t.prompt("Paint it")
  expect(contents(t).at(-2)).toContain("they have not answered")
  expect(existsSync(t.path("a.txt"))).toBe(false)
  expect(await stage(t)).toBe("awaiting_clarification")
})

test("closed while the question is open: the same question, once, and the same task afterwards", async () => {
  const script = [calls(asks), calls(confirms("Paint it blue.")), calls(write("a.txt", "blue\n")), says("Painted.")]
  await using t = await openTestSession({ gates: { clarify: true }, script, answers: () => undefined })
  t.say("Paint it")
  const before = await t.until(({ type }) => type === "question_open")
  expect(await stage(t)).toBe("awaiting_clarification")
  await using again = await t.reopen({ gates: {}, answers: blue })
  await again.settled()
  const questions = again.entries().flatMap((entry) => (entry.kind === "question" ? [entry.question.id] : []))
  expect(before.type === "question_open" && questions).toEqual([
    before.type === "question_open" ? before.question.id : "",
  ])
  expect(again.read("a.txt")).toBe("blue\n")
  expect((await again.ask({ type: "stage" })).clarifiedQuery).toBe("Paint it blue.")
})

test("a new conversation begins with it again", async () => {
  await using t = await openTestSession({
    gates: { clarify: true },
    script: [calls(confirms("One.", true)), says("Done."), calls(write("a.txt", "x\n")), says("No."), says("No.")],
    answers: blue,
  })
  await t.prompt("One")
  await t.session.submit({ type: "clear" })
  await t.settled()
  await t.prompt("Two")
  expect(contents(t).at(-1)).toContain("The task is not confirmed yet")
  expect(await stage(t)).toBe("awaiting_clarification")
})

test("the task is told again after a compaction, word by word", async () => {
  await using t = await openTestSession({
    gates: { clarify: true },
    script: [calls(confirms("Paint it blue, twice.", true)), says("Done."), says("A summary."), says("More.")],
    answers: blue,
  })
  await t.prompt("Paint it")
  await t.session.submit({ type: "compact" })
  await t.settled()
  await t.prompt("More")
  expect(JSON.stringify(t.requests().at(-1))).toContain(
    "The task, as it was confirmed at the beginning:\\nPaint it blue, twice.",
  )
  await using again = await t.reopen({ gates: {} })
  expect(await again.ask({ type: "stage" })).toMatchObject({
    stage: "completed",
    gates: { clarify: true },
    clarifiedQuery: "Paint it blue, twice.",
  })
})

test("no plan is shown before the task is clear", async () => {
  await using t = await openTestSession({
    gates: { clarify: true, plan: true },
    random: () => 0,
    script: [
      calls(write("../state/plans/agile-adding-acorn.md", "# Plan\n"), use("ExitPlanMode", {})),
      calls(confirms("Plan it.", true)),
      calls(write("../state/plans/agile-adding-acorn.md", "# Plan\n"), use("ExitPlanMode", {})),
      says("Done."),
    ],
    answers: ({ ask }) =>
      ask.kind === "plan" ? { kind: "approve", mode: "acceptEdits", wishes: [] } : { kind: "allow" },
  })
  await t.prompt("Plan it")
  expect(t.results().map(({ tool, isError }) => [tool, isError])).toEqual([
    ["Write", true],
    ["ExitPlanMode", true],
    ["ConfirmTask", false],
    ["Write", false],
    ["ExitPlanMode", false],
  ])
})
