/** A session that another process has open, continued when that process ends: in this one, or in whichever opened it first. */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Result } from "#lib/result.ts"
import type { AttachedSession } from "./attach-session.ts"
import type { AnswerTo, Query } from "./query.ts"
import type { OpFailure, Session } from "./session.ts"

export interface ContinuedParts {
  readonly attached: AttachedSession
  /** Opens it again; the failure is a sentence for the user. */
  /** Between two looks at a session that was just opened again. */
  readonly pause: () => Promise<void>
  readonly reopen: () => Promise<Result<Pick<Session, "submit" | "events" | "ask" | "close">, string>>
}

export interface ContinuedSession extends Session {
  /** Why it ended although nobody closed it here. */
  readonly failure: () => string | undefined
}

type OpenPort = Omit<Session, "id">

export function continuedSession({ attached, reopen, pause }: ContinuedParts): ContinuedSession {
  let reopening: Promise<OpenPort | undefined> | undefined
  let failure: string | undefined
  let isClosed = false

  /** Undefined if it ended for good. */
  function next(): Promise<OpenPort | undefined> {
    return (reopening ??= reopened())
  }

  async function reopened(): Promise<OpenPort | undefined> {
    const came = await reopen()
    if (!came.ok) failure = came.failure
    else if (isClosed) await came.value.close()
    else return came.value
    return undefined
  }

  /** The one to use; undefined if it ended for good. */
  const current = (): Promise<OpenPort | undefined> =>
    attached.isLost() && !isClosed ? next() : Promise.resolve(attached)

  async function ask<Q extends Query>(query: Q, signal?: AbortSignal): Promise<AnswerTo<Q>> {
    const port = await current()
    if (!port) throw new Error(failure ?? "The session is closed.")
    try {
      return await port.ask(query, signal)
    } catch (error) {
      const isOver = isClosed || signal?.aborted === true || !attached.isLost() || port !== attached
      if (isOver || query.type === "call_server") throw error
      return ask(query, signal)
    }
  }

  async function* events(after: Cursor | "beginning" | "now"): AsyncGenerator<Event, void> {
    let place = after
    const asked = new Set<string>()
    for await (const event of attached.events(after)) {
      if (event.type === "entry") place = event.cursor
      if (event.type === "question_open") asked.add(event.question.id)
      if (event.type === "question_close") asked.delete(event.questionId)
      yield event
    }
    // The session may be closed there a moment before its process lets go of it.
    const port = isClosed ? undefined : await next()
    if (!port) return
    const rest = port.events(place)
    yield* caughtUp(port, place)
    for await (const event of rest) {
      yield event
      // Withdrawn or answered while nobody had the session open, which only the log tells.
      if (event.type === "entry" && event.entry.kind === "answer" && asked.delete(event.entry.questionId))
        yield { cursor: event.cursor, type: "question_close", questionId: event.entry.questionId }
    }
  }

  /** A question that was open when its process ended is asked again once the turn has come that far. */
  async function submitAgain(port: OpenPort, op: Op): Promise<Result<void, OpFailure>> {
    for (;;) {
      const done = await port.submit(op)
      const mayCome = op.type === "answer" && !done.ok && done.failure.kind === "no_such_question" && !isClosed
      if (!mayCome || (await port.ask({ type: "state" })).lastEnd !== undefined) return done
      await pause()
    }
  }

  return {
    id: attached.id,
    failure: () => failure,
    async submit(op) {
      const port = await current()
      if (!port) return { ok: false, failure: { kind: "closed" } }
      const done = await (port === attached ? port.submit(op) : submitAgain(port, op))
      const isLost = !done.ok && done.failure.kind === "closed" && port === attached && !isClosed
      const again = isLost && mayRepeat(op) ? await next() : undefined
      return again ? submitAgain(again, op) : done
    },
    ask,
    events,
    async close(how) {
      isClosed = true
      await attached.close()
      await (await reopening)?.close(how)
    },
  }
}

/** Moments that passed before anybody here could listen. */
async function* caughtUp(port: OpenPort, place: Cursor): AsyncGenerator<Event, void> {
  const [questions, state] = await Promise.all([port.ask({ type: "questions" }), port.ask({ type: "state" })])
  yield { cursor: place, type: "state_change", state }
  for (const question of questions) yield { cursor: place, type: "question_open", question }
}

/** Whether it has one effect although it may have arrived the first time. */
const mayRepeat = (op: Op): boolean => op.type === "answer" || (op.type === "prompt" && op.promptId !== undefined)
