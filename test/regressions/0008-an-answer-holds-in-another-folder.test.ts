/** A command means something else in another folder: a session resumed elsewhere ran there what was allowed here. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { answerKept } from "#session/port/answer-kept.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

test("a command that was allowed in one folder is asked about again when it would run in another", async () => {
  await using t = await openTestSession({
    script: [calls(bash("echo x >> count.txt")), says("Done.")],
    mode: "default",
    allow: [],
    answers: () => undefined,
  })
  t.say("go")
  const opened = await t.until(({ type }) => type === "question_open")
  await t.session.close()
  const questionId = opened.type === "question_open" ? opened.question.id : ""
  const origin = { sessionId: t.id, cwd: t.root, version: "0.0.0", gitBranch: "", entrypoint: "test" }
  const ports = { pid: process.pid, origin, clock: systemClock, ids: systemIds }
  expect(await answerKept(t.logPath, { questionId, answer: { kind: "allow" } }, ports)).toMatchObject({ ok: true })

  const elsewhere = join(t.root, "../elsewhere")
  mkdirSync(elsewhere)
  await using again = await t.reopen({ place: { cwd: elsewhere } })
  await Promise.race([again.until(({ type }) => type === "question_open"), again.settled()])
  expect(existsSync(join(elsewhere, "count.txt"))).toBe(false)
})
