/** What was allowed in a session and not begun there was done by its copy too: one answer, two effects. */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { answerKept } from "#session/port/answer-kept.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

test("a copy asks again what was allowed in the other session and not begun there", async () => {
  await using t = await openTestSession({
    script: [calls(bash("echo done >> effects.txt")), says("Done."), says("Done.")],
    mode: "default",
    allow: [],
    answers: () => undefined,
  })
  t.say("do it")
  const asked = await t.until(({ type }) => type === "question_open")
  await t.until((event) => event.type === "entry" && event.entry.kind === "reply_end")
  await t.session.close()
  const origin = { sessionId: t.id, cwd: t.root, version: "0.0.0", gitBranch: "", entrypoint: "test" }
  const ports = { pid: process.pid, origin, clock: systemClock, ids: systemIds }
  const questionId = asked.type === "question_open" ? asked.question.id : ""
  expect(await answerKept(t.logPath, { questionId, answer: { kind: "allow" } }, ports)).toMatchObject({ ok: true })

  const again: string[] = []
  await using copy = await t.fork({
    answers: ({ id }) => {
      again.push(id)
      return { kind: "deny", words: "not here", interrupt: false }
    },
  })
  await copy.session.ask({ type: "settled" })
  expect(again).toEqual([questionId])
  await copy.session.close()
  await using original = await t.reopen({ answers: () => ({ kind: "deny", words: "asked again", interrupt: false }) })
  await original.session.ask({ type: "settled" })
  expect(original.read("effects.txt")).toBe("done\n")
})
