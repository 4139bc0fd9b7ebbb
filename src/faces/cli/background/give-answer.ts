/** Answers a question of a session in its log, or through the host that has it open. One in the background then continues. */

import { openJobs } from "#fleet/background/jobs.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { type AnswerFailure, answerKept, type GivenAnswer } from "#session/port/answer-kept.ts"
import { attachSession } from "#session/port/attach-session.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { socketOf } from "#faces/cli/sessions/shared-session.ts"
import { startHost } from "./start-host.ts"

interface AnsweredSession {
  readonly id: string
  readonly path: string
  readonly cwd: string
  readonly branch: string
}

/** `continues`: without anybody doing more. */
export async function giveAnswer(
  session: AnsweredSession,
  answer: GivenAnswer,
  state: string,
): Promise<Result<"continues" | "kept", AnswerFailure>> {
  const { id, path, cwd, branch } = session
  const kept = await answerKept(path, answer, {
    pid: process.pid,
    origin: { sessionId: id, cwd, version, gitBranch: branch, entrypoint: "cli" },
    clock: systemClock,
    ids: systemIds,
  })
  const jobs = openJobs(state, process.pid)
  const isBackground = jobs.get(id) !== undefined
  // One in a terminal is answered there, not behind somebody's back.
  if (!kept.ok)
    return kept.failure.kind === "held" && isBackground
      ? answeredThere(id, answer, { state, pid: kept.failure.pid })
      : kept
  if (!isBackground) return ok("kept")
  jobs.unmark(id, "stopped")
  jobs.unmark(id, "problem")
  jobs.poke()
  return (await startHost(state)).ok ? ok("continues") : ok("kept")
}

async function answeredThere(
  id: string,
  { questionId, answer, digest }: GivenAnswer,
  { state, pid }: { readonly state: string; readonly pid: number },
): Promise<Result<"continues", AnswerFailure>> {
  const attached = await attachSession(socketOf(state, id), { id, version })
  if (!attached.ok) return failed({ kind: "held", pid })
  const done = await attached.value.submit({ type: "answer", questionId, answer, ...optional("digest", digest) })
  await attached.value.close()
  if (done.ok) return ok("continues")
  const { kind } = done.failure
  if (kind === "no_such_question" || kind === "stale") return failed({ kind, questionId })
  return kind === "closed"
    ? failed({ kind: "held", pid })
    : failed({ kind: "unfit", message: opFailureWords(done.failure) })
}
