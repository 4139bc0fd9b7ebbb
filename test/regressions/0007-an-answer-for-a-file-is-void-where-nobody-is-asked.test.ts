/** A person is shown what a Write would change; a run without a person drew no such picture, and took the answer for void. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { answerKept } from "#session/port/answer-kept.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, says, write } from "../kit/script.ts"

test("a Write that was allowed while nobody ran is carried out by a run without a person", async () => {
  await using t = await openTestSession({
    script: [calls(write("b.txt", "new\n")), says("Done.")],
    mode: "default",
    answers: () => undefined,
  })
  t.say("write")
  const opened = await t.until(({ type }) => type === "question_open")
  await t.session.close()
  const questionId = opened.type === "question_open" ? opened.question.id : ""
  const origin = { sessionId: t.id, cwd: t.root, version: "0.0.0", gitBranch: "", entrypoint: "test" }
  const ports = { pid: process.pid, origin, clock: systemClock, ids: systemIds }
  expect(await answerKept(t.logPath, { questionId, answer: { kind: "allow" } }, ports)).toMatchObject({ ok: true })

  await using again = await t.reopen({ answers: undefined })
  await again.settled()
  expect(again.results()).toMatchObject([{ tool: "Write", isError: false }])
  expect(again.read("b.txt")).toBe("new\n")
})
