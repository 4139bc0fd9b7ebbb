/** A program that is killed while an answer still streams: what it asked about a call of that answer waits for its answer. */

import { describe, expect, test } from "bun:test"
import { copyFileSync, existsSync } from "node:fs"
import type { Answer } from "#agent/words/question.ts"
import { answerMeanwhile } from "../../kit/answer-meanwhile.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, write } from "../../kit/script.ts"

const allow: Answer = { kind: "allow" }
const notRun = "Not run: the program ended before this started."

/** Its third call waits for the second, so that nobody is asked about it; the words after them never end. */
const script = [
  {
    ...calls(read("a.txt"), bash("echo x >> count.txt"), write("b.txt", "new\n"), { text: "and so on ".repeat(200) }),
    timing: { pauses: [{ afterTokens: 250, ms: 600_000 }] },
  },
  says("Done."),
]

/** A log as a kill leaves it: the answer has not ended, and a question about one of its calls is open. */
async function killed(): Promise<TestSession> {
  const t = await openTestSession({
    script,
    files: { "a.txt": "old\n" },
    mode: "default",
    allow: [],
    answers: () => undefined,
  })
  t.say("go")
  await Promise.all([
    t.until(({ type }) => type === "question_open"),
    t.until((event) => event.type === "entry" && event.entry.kind === "reply" && isWrite(event.entry.block)),
  ])
  const copy = `${t.logPath}.copy`
  copyFileSync(t.logPath, copy)
  await t.session.close()
  copyFileSync(copy, t.logPath)
  expect(t.entries().map(({ kind }) => kind)).not.toContain("reply_end")
  return t
}

const isWrite = (block: { readonly type: string; readonly name?: string }): boolean => block.name === "Write"

const count = (t: TestSession): string => (existsSync(t.path("count.txt")) ? t.read("count.txt") : "")
const told = (t: TestSession) => t.results().map(({ tool, isError, content }) => [tool, isError, content === notRun])
const asked = (t: TestSession): number => t.entries().filter(({ kind }) => kind === "question").length

describe("a question about a call of an answer that had not ended", () => {
  test("is asked again; its call runs, and the others are told as not run", async () => {
    await using t = await killed()
    await using again = await t.reopen({ answers: () => allow })
    await again.settled()
    expect(count(again)).toBe("x\n")
    expect(existsSync(again.path("b.txt"))).toBe(false)
    expect(told(again)).toEqual([
      ["Read", false, false],
      ["Write", true, true],
      ["Bash", false, false],
    ])
    expect(asked(again)).toBe(1)
    const turns = again.entries().filter(({ kind }) => kind === "turn_start" || kind === "turn_end")
    expect(turns).toMatchObject([{ kind: "turn_start" }, { kind: "turn_end", reason: "completed" }])
    expect(again.simulator.requests).toHaveLength(2)
  })

  test("is used when it was answered while nobody ran, also where nobody can be asked", async () => {
    await using t = await killed()
    await answerMeanwhile(t, allow)
    await using again = await t.reopen({ answers: undefined })
    await again.settled()
    expect(count(again)).toBe("x\n")
    expect(existsSync(again.path("b.txt"))).toBe(false)
    expect((await again.ask({ type: "state" })).lastEnd).toBe("completed")
  })

  test("that was answered with no: the model is told, and nothing runs", async () => {
    await using t = await killed()
    await answerMeanwhile(t, { kind: "deny", words: "Leave it.", interrupt: false })
    await using again = await t.reopen({ answers: () => allow })
    await again.settled()
    expect([count(again), existsSync(again.path("b.txt"))]).toEqual(["", false])
    expect(JSON.stringify(again.results())).toContain("Leave it.")
    expect(asked(again)).toBe(1)
  })

  test("is withdrawn where nobody can be asked and nobody answered", async () => {
    await using t = await killed()
    await using again = await t.reopen({ answers: undefined })
    await again.settled()
    expect([count(again), existsSync(again.path("b.txt"))]).toEqual(["", false])
    expect(told(again).slice(1)).toEqual([
      ["Bash", true, true],
      ["Write", true, true],
    ])
    expect(again.entries().findLast(({ kind }) => kind === "answer")).toMatchObject({
      answer: { kind: "unanswered", why: "the program ended" },
    })
  })

  test("runs its call once, however often the program dies after that", async () => {
    await using t = await killed()
    await answerMeanwhile(t, allow)
    await using second = await t.reopen({ answers: undefined })
    await second.settled()
    await using third = await second.reopen({ answers: () => allow })
    await third.settled()
    expect(count(third)).toBe("x\n")
    expect(asked(third)).toBe(1)
  })
})
