/** What is done between turns: a chore, or what a built-in command asks for. */

import type { ChoreName } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isAtOnce, type OpAtOnce } from "#session/port/at-once.ts"
import { type Chore, type Chores, isChoreOp, workOf } from "./chores.ts"
import type { Journal } from "#session/journal/journal.ts"
import { mistakeWords, unsavedChoreWords } from "./mistake-words.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure } from "#session/port/session.ts"

export interface ChoreRunnerParts {
  readonly journal: Pick<Journal, "failure" | "feed">
  readonly chores: Chores
  readonly atOnce: (op: OpAtOnce) => Result<void, OpFailure>
}

interface ChoreFailure {
  readonly level: "warning" | "error"
  readonly text: string
}

export interface ChoreRunner {
  /** Starts a chore once it is announced; nothing happens if the log has failed. */
  readonly run: (name: ChoreName, work: Chore, signal: AbortSignal) => Promise<Result<void, ChoreFailure>>
  /** Finishes an op of a command before the command's turn begins. */
  readonly runOp: (op: Op, signal: AbortSignal) => Promise<Result<void, string>>
}

export function openChoreRunner({ journal, chores, atOnce }: ChoreRunnerParts): ChoreRunner {
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
    run: begin,
    async runOp(op, signal) {
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
