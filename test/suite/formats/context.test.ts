/** Compaction, resume, budgets and answers as data: the same over every wire format. */

import { expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { inspect } from "#session/request/inspect.ts"
import type { TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"
import { overEach } from "./over-each.ts"

const summary = says(
  "<summary>\n1. Request and intent: the user wants the numbers printed, turn by turn.\n8. Current work: printing numbers with Bash.\n</summary>",
)

const isSummaryRequest = ({ messages }: Pick<SimRequest, "messages">): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

/** Thinks, prints numbers, and says much of them in each turn. */
const worker: ScenarioFunction = (request) => {
  if (isSummaryRequest(request)) return summary
  const last = request.messages.at(-1)?.content ?? []
  if (last.some(({ type }) => type === "tool_result")) return says(`Printed. ${"The sums are right. ".repeat(400)}`)
  return { content: [{ thinking: "Numbers, then." }, bash("seq 1000 1999")] }
}

const compactions = (t: TestSession) => t.entries().filter((entry) => entry.kind === "compaction")

overEach("compaction", (start) => {
  test("a full window is summarized by the model, and what the user said is still there", async () => {
    await using t = await start({ script: worker, facts: { window: 34_000, maxOutput: 8_000 } })
    let turns = 0
    while (compactions(t).length === 0 && turns < 30)
      expect(await t.prompt(`rule ${++turns}: mind «${turns}»`)).toEqual({ reason: "completed" })
    expect(compactions(t)).toMatchObject([{ by: "model" }])
    await t.prompt("and on")
    const last = JSON.stringify(t.requests().at(-1))
    for (let turn = 1; turn <= turns; turn++) expect(last).toContain(`rule ${turn}: mind «${turn}»`)
    expect(last).toContain("the user wants the numbers printed, turn by turn")
    expect(inspect(t.entries()).filter(({ proved }) => !proved)).toEqual([])
  })

  test("a request that is refused as too long is made shorter, and succeeds", async () => {
    await using t = await start({
      script: (request) => {
        if (isSummaryRequest(request)) return summary
        const isLong = JSON.stringify(request.messages).includes("1999")
        return isLong ? { content: "Never.", fault: "too_long" } : says("Done.")
      },
      files: { "long.txt": `${"1999 ".repeat(2_000)}` },
    })
    expect(await t.prompt("see @long.txt")).toEqual({ reason: "completed" })
    expect(t.story().filter((line) => line.startsWith("shrink"))).toEqual(["shrink turns"])
  })
})

overEach("resume", (start) => {
  test("a closed session goes on with the same conversation, byte for byte", async () => {
    await using t = await start({
      files: { "a.txt": "one\n" },
      script: [
        { content: [{ thinking: "I should read." }, { text: "I read." }, read("a.txt")] },
        { content: [{ thinking: "It is one." }, "It says one."] },
        says("Still one."),
      ],
      limits: { thinking: { type: "on", tokens: 2_000 } },
    })
    await t.prompt("what does it say?")
    const before = t.requests().at(-1) ?? []
    await using again = await t.reopen()
    expect(await again.prompt("and now?")).toEqual({ reason: "completed" })
    const after = again.requests().at(-1) ?? []
    expect(after.slice(0, before.length)).toEqual([...before])
    expect(JSON.stringify(after)).toContain("It says one.")
  })

  test("a session that was closed during a call goes on, and the call is answered", async () => {
    await using t = await start({ script: [calls(bash("sleep 1000")), says("Fine.")] })
    t.say("go")
    await t.until((event) => event.type === "entry" && event.entry.kind === "intent")
    await using again = await t.reopen()
    expect(await again.prompt("go on")).toEqual({ reason: "completed" })
  })
})

const usage = {
  input_tokens: 1_000,
  output_tokens: 100,
  cache_read_input_tokens: 5_000,
  cache_creation_input_tokens: 0,
}

overEach("budgets", (start, { model }) => {
  test("a turn at its budget in tokens asks, and goes on with a larger one", async () => {
    const asked: string[] = []
    const raise = ({ ask }: Question): Answer | undefined => {
      if (ask.kind !== "choice") return undefined
      const [question] = ask.questions
      asked.push(question?.question ?? "")
      return { kind: "choices", answers: { [question?.question ?? ""]: "No limit" } }
    }
    await using t = await start({
      script: [calls(bash("echo one")), says("Done.")],
      limits: { maxBudgetTokens: 1_000 },
      answers: raise,
    })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect(asked).toHaveLength(1)
  })

  test("what answers used is counted and priced, whatever the format calls it", async () => {
    await using t = await start({
      script: [{ content: "Done.", usage }],
      model: {
        prices: (name) => (name === model ? { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 } : undefined),
      },
    })
    await t.prompt("go")
    const end = t.entries().find((entry): entry is Entry & { kind: "reply_end" } => entry.kind === "reply_end")
    expect(end).toMatchObject({ usage })
    expect(end?.costUsd).toBeCloseTo(0.006, 6)
  })
})

overEach("answers as data", (start) => {
  test("one that does not fit is told with its place, and the next one ends the turn", async () => {
    const output = (age: unknown) => calls(use("StructuredOutput", { name: "Ada", age: age as number }))
    await using t = await start({
      script: [output("36"), output(36)],
      outputSchema: {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "integer" } },
        required: ["name", "age"],
        additionalProperties: false,
      },
    })
    await t.prompt("who?")
    expect(t.results()[0]?.content).toEndWith("/age: must be an integer")
    expect(t.entries().findLast(({ kind }) => kind === "turn_end")).toMatchObject({
      reason: "completed",
      output: { name: "Ada", age: 36 },
    })
  })
})
