/** A session played again from its log sends the same requests, gets the same results, and leaves the same files. */

import { expect, test } from "bun:test"
import type { Comparison } from "#session/replay/compare.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { playAgain } from "../../kit/play-again.ts"
import { bash, calls, edit, read, says, use } from "../../kit/script.ts"

const files = { "a.txt": "alpha\n", "b.txt": "beta\n" }

/** Plays a session again over its files as they were, perhaps with a change. */
async function again(
  first: TestSession,
  changes: Partial<TestSessionOptions> = {},
): Promise<{ readonly seen: Comparison; readonly read: (name: string) => string; done: () => PromiseLike<void> }> {
  const { seen, second } = await playAgain(first, (port) =>
    openTestSession({ script: [], files, answers: () => undefined, ...changes, model: { port, given: false } }),
  )
  const { read: readFile } = second
  return { seen, read: readFile, done: () => second[Symbol.asyncDispose]() }
}

const script = [
  calls(read("a.txt"), bash("ls | sort; echo x >> c.txt")),
  calls(edit("a.txt", "alpha", "ALPHA")),
  says("Changed."),
  calls(
    use("AskUserQuestion", {
      questions: [
        {
          question: "Which?",
          header: "Which",
          multiSelect: false,
          options: [
            { label: "one", description: "1" },
            { label: "two", description: "2" },
          ],
        },
      ],
    }),
  ),
  says("Thanks."),
  says("Back again."),
]

async function played(): Promise<TestSession> {
  const t = await openTestSession({
    script,
    files,
    answers: (question) =>
      question.ask.kind === "choice" ? { kind: "choices", answers: { "Which?": "two" } } : { kind: "allow" },
  })
  await t.prompt("Change it")
  await t.prompt("Ask me")
  const last = t.entries().findLast((entry) => entry.kind === "prompt")
  t.session.submit({ type: "rewind", promptId: last?.kind === "prompt" ? last.promptId : "", what: "conversation" })
  await t.session.settled()
  t.session.submit({ type: "shell", command: "cat a.txt" })
  await t.session.settled()
  await t.prompt("And now?")
  return t
}

test("nothing differs, and the files end the same", async () => {
  await using first = await played()
  const { seen, read: readAgain, done } = await again(first)
  expect(seen).toEqual({ requests: 6, results: 4, first: undefined })
  expect([readAgain("a.txt"), readAgain("c.txt")]).toEqual([first.read("a.txt"), first.read("c.txt")])
  await done()
})

test("the first thing that differs is named: a file that was not like that", async () => {
  await using first = await played()
  const { seen, done } = await again(first, { files: { ...files, "a.txt": "alpha!\n" } })
  expect(seen.first).toMatchObject({ where: "request 2, result of Read" })
  expect(seen.first?.was).toContain("alpha")
  expect(seen.first?.is).toContain("alpha!")
  await done()
})

test("a permission that is no longer given is where it parts", async () => {
  await using first = await played()
  const { seen, done } = await again(first, { mode: "dontAsk", allow: [] })
  expect(seen.first?.where).toBe("request 2, result of Bash")
  await done()
})

test("an answer that was cut off by the person is cut off again", async () => {
  await using first = await openTestSession({
    script: [{ ...says("one two three four five six seven eight"), timing: { tokensPerSecond: 20 } }, says("done")],
    answers: () => undefined,
  })
  first.say("talk")
  await first.until((event) => event.type === "model_delta" && event.delta.type === "text_delta")
  first.session.submit({ type: "interrupt" })
  await first.session.settled()
  await first.prompt("go on")
  const { seen, done } = await again(first, { files: {} })
  expect(seen).toEqual({ requests: 2, results: 0, first: undefined })
  await done()
})
