import { expect, test } from "bun:test"
import { asChoices } from "#agent/words/elicitation.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { ElicitAnswer, ElicitAsk } from "#ground/mcp/connection.ts"
import type { JsonObject } from "#lib/json.ts"
import { elicit } from "#kits/mcp/elicit.ts"

interface Asked {
  readonly answer: ElicitAnswer
  readonly questions: readonly string[]
  readonly warnings: readonly string[]
}

/** What comes of an ask when the person answers each question in turn, or everything with one answer. */
async function asked(ask: ElicitAsk, said: readonly string[] | Answer, canElicit = true): Promise<Asked> {
  const questions: string[] = []
  const warnings: string[] = []
  const put = async (elicitation: QuestionAsk): Promise<Answer> => {
    const question = elicitation.kind === "elicitation" ? asChoices(elicitation) : undefined
    if (!question) throw new Error("it cannot be asked as choices")
    questions.push(
      ...question.questions.map(
        ({ question: text, options }) => `${text} [${options.map(({ label }) => label).join("|")}]`,
      ),
    )
    if (!Array.isArray(said)) return said as Answer
    const answers = question.questions.map(({ question: text }, i): [string, string] => [text, said[i] ?? ""])
    return { kind: "choices", answers: Object.fromEntries(answers) }
  }
  const ports = { ask: put, canElicit, warn: (text: string): void => void warnings.push(text) }
  return { answer: await elicit({ server: "srv" }, ask, ports, new AbortController().signal), questions, warnings }
}

const form = (properties: JsonObject, required: readonly string[] = []): ElicitAsk => ({
  message: "Tell me.",
  schema: { type: "object", properties, required },
})

test("a form becomes questions, and answers become values of their kinds", async () => {
  const ask = form(
    {
      name: { type: "string", title: "Name" },
      age: { type: "integer", default: 30 },
      agree: { type: "boolean" },
      pet: { type: "string", enum: ["c", "d"], enumNames: ["Cat", "Dog"] },
      many: { type: "array", items: { anyOf: [{ const: "x", title: "X!" }, { const: "y" }] } },
      rest: { type: "string" },
    },
    ["name", "age", "agree", "pet", "many"],
  )
  const { answer, questions } = await asked(ask, ["Ada", "41", "Yes", "Dog", "X!, y", "Leave it out"])
  expect(answer).toEqual({
    action: "accept",
    content: { name: "Ada", age: 41, agree: true, pet: "d", many: ["x", "y"] },
  })
  expect(questions).toEqual([
    "The MCP server srv asks: Tell me. Name (name) []",
    "age [30]",
    "agree [Yes|No]",
    "pet [Cat|Dog]",
    "many [X!|y]",
    "rest [Leave it out]",
  ])
})

test("an answer that is none cancels, with words for the person", async () => {
  for (const [property, said] of [
    [{ type: "integer" }, "many"],
    [{ type: "integer" }, "1.5"],
    [{ type: "number" }, ""],
    [{ type: "boolean" }, "perhaps"],
    [{ type: "string", enum: ["a"] }, "b"],
  ] as const) {
    const { answer, warnings } = await asked(form({ field: property }, ["field"]), [said])
    expect(answer).toEqual({ action: "cancel" })
    expect(warnings[0]).toContain("is not an answer to")
  }
})

test("what cannot be asked is declined without a question", async () => {
  for (const property of [{ type: "object" }, { type: "array", items: { type: "string" } }, "text", {}])
    expect(await asked(form({ field: property }), [])).toMatchObject({ answer: { action: "decline" }, questions: [] })
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: "string" }]))
  expect((await asked(form(many), [])).answer).toEqual({ action: "decline" })
})

test("an address, or a form without fields, only wants a yes", async () => {
  const url = { message: "Log in.", url: "https://example.com/login" }
  const { answer, questions } = await asked(url, ["Yes"])
  expect(answer).toEqual({ action: "accept", content: {} })
  expect(questions[0]).toContain("wants you to open https://example.com/login in a browser. Log in.")
  expect((await asked(url, ["No"])).answer).toEqual({ action: "decline" })
  expect((await asked({ message: "Sure?" }, ["Yes"])).answer).toEqual({ action: "accept", content: {} })
})

test("who says no declines, who is not there or is interrupted cancels", async () => {
  const ask = form({ a: { type: "string" } })
  expect((await asked(ask, { kind: "deny", interrupt: false })).answer).toEqual({ action: "decline" })
  expect((await asked(ask, { kind: "unanswered", why: "" })).answer).toEqual({ action: "cancel" })
  expect(await asked(ask, [], false)).toEqual({ answer: { action: "cancel" }, questions: [], warnings: [] })
})
