/** A question that nobody answered before the session was left is asked again when it goes on: leaving is not saying no. */

import { describe, expect, test } from "bun:test"
import { copyFileSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, read, says, write } from "../../kit/script.ts"
import { approve, exit, plainChance, planPath, writePlan } from "../plan/plan.ts"

const allow: Answer = { kind: "allow" }
const yes = (): Answer => allow
const nobodyYet = (): undefined => undefined
const asked = (t: TestSession): Promise<unknown> => t.until(({ type }) => type === "question_open")
const requested = (t: TestSession): number => t.simulator.requests.length

describe("a permission", () => {
  const script = [calls(read("a.txt"), write("b.txt", "new\n"), read("b.txt")), says("Done.")]
  const begin = () => openTestSession({ script, files: { "a.txt": "old\n" }, mode: "default", answers: nobodyYet })

  test("is asked for again, and what it was for happens once", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    await using again = await t.reopen({ answers: yes })
    await again.settled()
    expect(again.read("b.txt")).toBe("new\n")
    expect(again.results().map(({ tool, isError }) => [tool, isError])).toEqual([
      ["Read", false],
      ["Write", false],
      ["Read", false],
    ])
    // One answer made the calls, one ended the turn: nothing was asked of the model anew.
    expect(requested(again)).toBe(2)
    const turns = again.entries().filter(({ kind }) => kind === "turn_start" || kind === "turn_end")
    expect(turns).toMatchObject([{ kind: "turn_start" }, { kind: "turn_end", reason: "completed" }])
  })

  test("waits as long as it takes, over any number of departures", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    await using second = await t.reopen()
    await asked(second)
    await using third = await second.reopen()
    await asked(third)
    expect((await third.ask({ type: "questions" })).map(({ ask }) => ask.kind)).toEqual(["permission"])
    await using last = await third.reopen({ answers: () => ({ kind: "deny", words: "leave it", interrupt: false }) })
    await last.settled()
    expect(last.results().map(({ isError }) => isError)).toEqual([false, true, true])
    expect((await last.ask({ type: "state" })).lastEnd).toBe("completed")
  })

  test("is asked for again after the program was killed", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    const copy = `${t.logPath}.copy`
    copyFileSync(t.logPath, copy)
    await t.session.close()
    copyFileSync(copy, t.logPath)
    await using again = await t.reopen({ answers: yes })
    await again.settled()
    expect(again.read("b.txt")).toBe("new\n")
  })

  test("is judged by the rules of today", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    await using again = await t.reopen({ deny: ["Edit(b.txt)"] })
    await again.settled()
    expect(await again.ask({ type: "questions" })).toEqual([])
    expect(again.results()[1]).toMatchObject({ tool: "Write", isError: true })
  })

  test("is withdrawn where nobody can be asked", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    await using again = await t.reopen({ answers: undefined, script })
    expect(await again.ask({ type: "questions" })).toEqual([])
    expect(again.results().map(({ content }) => content)).toEqual([
      expect.stringContaining("old"),
      "Not run: the program ended before this started.",
      "Not run: the program ended before this started.",
    ])
  })

  test("an interrupt is a no: it is not asked for again", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    void t.session.submit({ type: "interrupt" })
    await t.settled()
    await using again = await t.reopen()
    expect(await again.ask({ type: "questions" })).toEqual([])
    expect((await again.ask({ type: "state" })).lastEnd).toBe("aborted")
  })

  test("what is said meanwhile is heard after it", async () => {
    await using t = await begin()
    t.say("write")
    await asked(t)
    let isOpen = (): void => {}
    const opened = new Promise<void>((resolve) => (isOpen = resolve))
    let question: Question | undefined
    await using again = await t.reopen({
      answers: (open) => {
        question = open
        isOpen()
        return undefined
      },
    })
    await opened
    again.say("and hurry")
    void again.session.submit({ type: "answer", questionId: question?.id ?? "", answer: allow })
    await again.settled()
    expect(JSON.stringify(again.requests().at(-1))).toContain("and hurry")
  })
})

test("a plan that waits for approval can be approved another day", async () => {
  const script = [
    calls(writePlan("# Plan\n\nWrite b.txt.\n")),
    calls(exit),
    calls(write("b.txt", "new\n")),
    says("Done."),
  ]
  await using t = await openTestSession({ ...plainChance, script, mode: "plan", answers: nobodyYet })
  t.say("plan it")
  await asked(t)
  await using again = await t.reopen({
    answers: ({ ask }) => (ask.kind === "plan" && ask.plan.includes("Write b.txt.") ? approve() : undefined),
  })
  await again.settled()
  expect(again.read("b.txt")).toBe("new\n")
  expect((await again.ask({ type: "state" })).mode).toBe("acceptEdits")
  expect(again.read(planPath)).toContain("Write b.txt.")
})
