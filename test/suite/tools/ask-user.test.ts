/** AskUserQuestion: answered by an op from any face; without anyone the model is told to choose. */

import { expect, test } from "bun:test"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { displays, given, play } from "./played.ts"

const option = (label: string) => ({ label, description: `It is ${label}.` })
const database = { question: "Which database?", header: "Database", options: [option("SQLite"), option("Postgres")] }
const parts = {
  question: "Which parts?",
  header: "Parts",
  options: [option("Server"), option("Client"), option("Docs")],
  multiSelect: true,
}
const name = { question: "What is it called?", header: "Name", options: [option("app"), option("tool")] }
const script = [calls(use("AskUserQuestion", { questions: [database, parts, name] })), says("Understood.")]

test("one choice, several and a text of one's own come back by question", async () => {
  const answers = { [database.question]: "SQLite", [parts.question]: "Server, Docs", [name.question]: "call it Bob" }
  await using t = await openTestSession({ script, answers: () => ({ kind: "choices", answers }) })
  await play(t)
  expect(given(t)).toEqual([
    ["The user answered:\n- Which database? SQLite\n- Which parts? Server, Docs\n- What is it called? call it Bob"],
  ])
  expect(displays(t)).toEqual([
    { kind: "list", items: ["Which database? SQLite", "Which parts? Server, Docs", "What is it called? call it Bob"] },
  ])
  expect(t.results()[0]?.data).toMatchObject({ answers })
  const [asked] = t.entries().flatMap((entry) => (entry.kind === "question" ? [entry.question.ask] : []))
  expect(asked).toEqual({
    kind: "choice",
    callId: t.results()[0]?.callId ?? "",
    questions: [{ ...database, multiSelect: false }, parts, { ...name, multiSelect: false }],
  })
  expect(t.story().filter((line) => /^(question|answer)/.test(line))).toEqual(["question choice", "answer choices"])
})

test("words instead of a choice are told, and the turn goes on", async () => {
  await using t = await openTestSession({
    script,
    answers: () => ({ kind: "deny", words: "ask me tomorrow", interrupt: false }),
  })
  await play(t)
  expect(given(t)).toEqual([[{ error: "The user did not choose, but said: ask me tomorrow" }]])
})

test("where nobody can be asked the model is told to choose", async () => {
  await using t = await openTestSession({ script })
  await play(t)
  expect(given(t)).toEqual([
    [
      {
        error:
          "There is no answer: nobody can be asked in this run. Choose the most sensible option yourself, continue, and state your choice in the final answer.",
      },
    ],
  ])
})
