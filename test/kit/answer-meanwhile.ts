/** A question that a closed session left open, and its answer, as another process gives it while nobody has the session open. */

import type { Answer } from "#agent/words/question.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { answerKept, waitingIn } from "#session/port/answer-kept.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "./open-test-session.ts"

/** A session that was closed while it waited for an answer, with all of the model's words in its log. */
export async function closedWhileAsking(options: TestSessionOptions): Promise<TestSession> {
  const t = await openTestSession({ mode: "default", allow: [], ...options, answers: () => undefined })
  t.say("go")
  await t.until(({ type }) => type === "question_open")
  await t.until((event) => event.type === "entry" && event.entry.kind === "reply_end")
  await t.session.close()
  return t
}

/** The answer to the one question that is open; gives its id. */
export async function answerMeanwhile(t: TestSession, answer: Answer): Promise<string> {
  const [waiting, ...more] = waitingIn(t.entries())
  if (!waiting || more.length > 0) throw new Error(`${waiting ? more.length + 1 : 0} questions are open, not one`)
  const { id, digest } = waiting.question
  const origin = { sessionId: t.id, cwd: t.root, version: "0.0.0", gitBranch: "", entrypoint: "test" }
  const ports = { pid: process.pid, origin, clock: systemClock, ids: systemIds }
  const kept = await answerKept(t.logPath, { questionId: id, answer, digest }, ports)
  if (!kept.ok) throw new Error(`the answer was not kept: ${JSON.stringify(kept.failure)}`)
  return id
}
