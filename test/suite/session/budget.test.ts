/** A budget that is reached and raised: in the question, by /budget, over a resume; in dollars, in tokens, and of one agent. */

import { expect, test } from "bun:test"
import type { Answer, Question } from "#agent/words/question.ts"
import { decodeFile } from "#kits/subagents/decode.ts"
import { openTestSession, type TestSessionOptions, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { cast, requestsOf, resultsOf, task } from "../subagents/cast.ts"

const saying =
  (text: string) =>
  ({ ask }: Question): Answer | undefined =>
    ask.kind === "choice" ? { kind: "choices", answers: { [ask.questions[0]?.question ?? ""]: text } } : undefined

const start = (options: Partial<TestSessionOptions> = {}): Promise<TestSession> =>
  openTestSession({ script: [calls(bash("echo one")), says("Done."), says("Again.")], ...options })

/** Covers the worst case of the first request, and of the second one only with a shorter answer. */
const tight = { maxBudgetUsd: 0.5 }

test("a turn at its budget waits, says who spent what, and continues after a larger one is chosen", async () => {
  const asked: Question[] = []
  await using t = await start({
    limits: { maxBudgetUsd: 0.01 },
    answers(question) {
      asked.push(question)
      return saying("Raise to $1.00")(question)
    },
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  const [question] = asked
  expect(question?.ask).toMatchObject({
    kind: "choice",
    questions: [
      {
        header: "Budget",
        question: expect.stringMatching(
          /^The budget does not cover the next request: it could cost \$0\.\d+ even with a short answer, and \$0\.0100 is left\. No usage yet\. Raise the budget\?$/,
        ),
        options: [
          { label: "Raise to $1.00" },
          { label: "Raise to $2.00" },
          { label: "No limit" },
          { label: "Stop here" },
        ],
      },
    ],
  })
  expect(t.entries().filter(({ kind }) => kind === "budget")).toMatchObject([{ budget: { usd: 1 } }])
  expect((await t.ask({ type: "state" })).budget).toEqual({ usd: 1 })
})

test("/budget while the turn waits lets it continue, and the question is withdrawn", async () => {
  await using t = await start({ limits: { maxBudgetUsd: 0.01 }, answers: () => undefined })
  t.say("go")
  await t.until((event) => event.type === "question_open")
  await t.session.submit({ type: "set_budget", budget: { usd: 5 } })
  await t.settled()
  expect(t.entries().findLast(({ kind }) => kind === "turn_end")).toMatchObject({ reason: "completed" })
  expect(await t.ask({ type: "questions" })).toEqual([])
})

test("what is no budget is asked about again; to stop ends the turn, and the next one can continue", async () => {
  const said = ["lots", "Stop here"]
  const questions: string[] = []
  await using t = await start({
    limits: { maxBudgetUsd: 0.01 },
    answers(question) {
      if (question.ask.kind === "choice") questions.push(question.ask.questions[0]?.question ?? "")
      return saying(said.shift() ?? "Stop here")(question)
    },
  })
  expect(await t.prompt("go")).toMatchObject({ reason: "max_budget", message: expect.stringContaining("/budget") })
  expect(questions[1]).toStartWith('"lots" is not a budget. Write 5, $2.50, 200k tokens or none.')
  await t.session.submit({ type: "set_budget", budget: {} })
  expect(await t.prompt("continue")).toEqual({ reason: "completed" })
})

test("where nobody can be asked the turn ends, and a resume with a larger budget continues", async () => {
  await using t = await start({ limits: { maxBudgetUsd: 0.001 } })
  expect(await t.prompt("go")).toMatchObject({ reason: "max_budget" })
  await using again = await t.reopen({ limits: tight })
  expect((await again.ask({ type: "state" })).budget).toEqual({ usd: 0.5 })
  expect(await again.prompt("continue")).toEqual({ reason: "completed" })
  await again.session.submit({ type: "set_budget", budget: { usd: 9 } })
  await using third = await again.reopen({ limits: {} })
  expect((await third.ask({ type: "state" })).budget).toEqual({ usd: 9 })
})

test("a model without a price is offered a budget in tokens, which is kept", async () => {
  await using t = await start({
    script: [calls(bash("echo one")), says("Done.")],
    model: { prices: () => undefined },
    limits: { maxBudgetUsd: 5 },
    answers: (question) =>
      JSON.stringify(question.ask).includes("No price is known")
        ? saying("Raise to 500k tokens")(question)
        : saying("Stop here")(question),
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect((await t.ask({ type: "state" })).budget).toEqual({ tokens: 500_000 })
  await t.session.submit({ type: "set_budget", budget: { tokens: 1_000 } })
  expect(await t.prompt("more")).toMatchObject({
    reason: "max_budget",
    message: expect.stringMatching(
      /it could take [\d.]+k tokens even with a short answer, and 0 tokens are left\. Spent so far: main/,
    ),
  })
})

test("an agent has a budget of its own within that of the session, and /cost shows who spent what", async () => {
  const { definitions, problems } = decodeFile({
    path: "/a.md",
    source: "user",
    text: "---\nname: frugal\ndescription: Cheap work.\nmaxBudgetTokens: 2000\n---\nBe brief.",
  })
  expect(problems).toEqual([])
  await using t = await start({
    agents: definitions,
    script: cast({
      main: [calls(task("scout", { subagent_type: "frugal" })), says("Over.")],
      scout: [says("Never said.")],
    }),
  })
  expect(await t.prompt("send someone")).toEqual({ reason: "completed" })
  expect(requestsOf(t, "scout")).toEqual([])
  expect(resultsOf(t, "Task")[0]).toMatch(
    /frugal \w+ reached its own budget\. The budget does not cover the next request/,
  )
})

test("what agents spend is told by agent, also after a resume", async () => {
  await using t = await start({
    script: cast({ main: [calls(task("scout")), says("Over.")], scout: [says("Found.")] }),
  })
  await t.prompt("send someone")
  const { agents, costUsd } = await t.ask({ type: "state" })
  const names = Object.keys(agents)
  expect(names).toEqual(["main", expect.stringMatching(/^general-purpose \w+$/)])
  expect(Object.values(agents).reduce((sum, one) => sum + one.costUsd, 0)).toBeCloseTo(costUsd, 10)
  const cost = await t.ask({ type: "command", name: "cost", args: "" })
  expect(cost?.text).toMatch(
    /\nBy agent:\n {2}main: [\d.]+k tokens, \$[\d.]+\n {2}general-purpose \w+: [\d.]+k tokens, \$[\d.]+\nTotal: \$[\d.]+$/,
  )
  await using again = await t.reopen()
  expect((await again.ask({ type: "state" })).agents).toEqual(agents)
})

test("/budget shows and changes it, and names what it takes", async () => {
  await using t = await start({ limits: { maxBudgetUsd: 5 } })
  expect(await t.ask({ type: "command", name: "budget", args: "" })).toEqual({
    text: "Budget: $5.00 · Spent: $0.00, 0 tokens\n/budget <amount> changes it: 5, $2.50, 200k tokens or none.",
  })
  expect(await t.ask({ type: "command", name: "budget", args: "200k tokens" })).toEqual({
    text: "",
    ops: [{ type: "set_budget", budget: { tokens: 200_000 } }],
  })
  expect(await t.ask({ type: "command", name: "budget", args: "lots" })).toEqual({
    isError: true,
    text: '"lots" is not a budget. Write 5, $2.50, 200k tokens or none.',
  })
})
