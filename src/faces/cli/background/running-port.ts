/** The list of sessions for the panel that shows it: what it reads, and what its keys do. */

import { progressOf } from "#fleet/background/progress.ts"
import type { Question } from "#agent/words/question.ts"
import type { RunningPort, RunningRow } from "#faces/tui/panels/running-port.ts"
import { loadLog, loadTail } from "#ground/transcript/load.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { answerFailureWords } from "#faces/cli/sessions/answer-failure-words.ts"
import type { Where } from "#faces/cli/where.ts"
import { giveAnswer } from "./give-answer.ts"
import { placeOf } from "./list-text.ts"
import { logText } from "./logs.ts"
import { removeOne } from "./remove.ts"
import { resumeOne } from "./resume.ts"
import { type ListedSession, sessionList } from "./session-list.ts"
import { startHost } from "./start-host.ts"
import { stopOne } from "./stop.ts"

const lookMs = 1_000

/** `current`: the session of this terminal. `onWaiting`: called for each that begins to wait while the list is shown. */
export function runningPort(
  where: Where,
  { current, onWaiting = () => {} }: { readonly current?: string; readonly onWaiting?: (row: RunningRow) => void },
): RunningPort {
  const { state, home } = where
  let waiting: ReadonlySet<string> | undefined

  async function sessions(): Promise<readonly ListedSession[]> {
    const { sessions: all, isDue } = await sessionList(where, systemClock.now())
    if (isDue) await startHost(state)
    return all
  }

  async function withOne<T>(
    id: string,
    use: (session: ListedSession) => Result<T, string> | Promise<Result<T, string>>,
  ): Promise<Result<T, string>> {
    const session = (await sessions()).find((one) => one.id === id)
    return session ? use(session) : failed("The session is no longer there.")
  }

  return {
    async list() {
      const rows = (await sessions()).map((session) => rowOf(session, home, current))
      const now = rows.filter((row) => row.state === "waiting")
      for (const row of now) if (waiting && !waiting.has(row.id)) onWaiting(row)
      waiting = new Set(now.map(({ id }) => id))
      return rows
    },
    log: (id) =>
      withOne(id, ({ path, last }) => {
        const loaded = path === undefined ? undefined : loadLog(path, { torn: "leave" })
        return ok(loaded?.ok ? logText(loaded.value.entries) : last)
      }),
    answer: (id, question, answer) =>
      withOne(id, async ({ path, ...session }) => {
        if (path === undefined) return failed("The session has not begun.")
        const questionAnswer = { questionId: question.id, answer, digest: question.digest }
        const done = await giveAnswer({ ...session, path }, questionAnswer, state)
        return done.ok ? ok(undefined) : failed(answerFailureWords(done.failure))
      }),
    stop: (id) => withOne(id, (session) => stopOne(session, state)),
    resume: (id) => withOne(id, (session) => resumeOne(session, state)),
    remove: (id) => withOne(id, (session) => removeOne(session, state)),
    watch(changed) {
      // Nobody tells of other terminals, so it looks.
      let cancel = systemClock.after(lookMs, tick)
      function tick(): void {
        changed()
        cancel = systemClock.after(lookMs, tick)
      }
      return () => cancel()
    },
  }
}

function rowOf(session: ListedSession, home: string, current: string | undefined): RunningRow {
  const { id, name, state, costUsd, changedAt, last, path } = session
  return {
    id,
    name,
    state,
    place: placeOf(session, home),
    costUsd,
    changedAt,
    last,
    questions: state === "waiting" && path !== undefined ? questionsIn(path) : [],
    ...(id === current && { isCurrent: true }),
  }
}

function questionsIn(path: string): readonly Question[] {
  const loaded = loadTail(path, { torn: "leave" })
  return loaded.ok ? progressOf(loaded.value.entries).questions : []
}
