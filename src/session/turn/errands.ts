/** What is done between turns: a chore of its own, or what a command of the program asks for. */

import type { ChoreName } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isAtOnce, type OpAtOnce } from "#session/port/at-once.ts"
import { type Chore, type Chores, isChoreOp, workOf } from "./chores.ts"
import type { Journal } from "#session/journal/journal.ts"
import { mistakeWords, unsavedChoreWords } from "./mistake-words.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure } from "#session/port/session.ts"

export interface ErrandParts {
  readonly journal: Pick<Journal, "failure" | "feed">
  readonly chores: Chores
  readonly atOnce: (op: OpAtOnce) => Result<void, OpFailure>
}

/** As it is told to the user. */
interface ChoreFailure {
  readonly level: "warning" | "error"
  readonly text: string
}

export interface Errands {
  /** A chore from the moment that it is announced; a log that failed lets nothing happen. */
  readonly begin: (name: ChoreName, work: Chore, signal: AbortSignal) => Promise<Result<void, ChoreFailure>>
  /** An op of a command, done to its end before the turn of the command begins. */
  readonly perform: (op: Op, signal: AbortSignal) => Promise<Result<void, string>>
}

export function openErrands({ journal, chores, atOnce }: ErrandParts): Errands {
  const { feed } = journal

  async function begin(name: ChoreName, work: Chore, signal: AbortSignal): Promise<Result<void, ChoreFailure>> {
    feed.publish({ type: "chore", name, running: true })
    const failure = journal.failure()
    if (failure) return failed({ level: "error", text: unsavedChoreWords(failure) })
    try {
      const done = await work(signal)
      return done.ok ? done : failed({ level: "warning", text: done.failure })
    } catch (error) {
      return failed({ level: "error", text: mistakeWords(error) })
    }
  }

  return {
    begin,
    async perform(op, signal) {
      if (isChoreOp(op)) {
        const done = await begin(op.type, workOf(op, chores), signal)
        feed.publish({ type: "chore", name: op.type, running: false })
        return done.ok ? done : failed(done.failure.text)
      }
      const done = isAtOnce(op) ? atOnce(op) : ok(undefined)
      return done.ok ? done : failed(opFailureWords(done.failure))
    },
  }
}
