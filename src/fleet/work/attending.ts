/** What comes to a session from outside while a worker has it, and what is said of it meanwhile. */

import type { Question } from "#agent/words/question.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Session } from "#session/port/session.ts"
import { answerOf } from "#fleet/answering.ts"
import { reviewedFiles, summaryOf } from "#fleet/changes.ts"
import type { FleetOp } from "#fleet/ops.ts"
import type { Followed } from "./follow.ts"
import type { LocalLog } from "./local-log.ts"
import type { Persist } from "./persist.ts"
import { type OpenPull, publishWork } from "./publish.ts"
import { answerOfReview, type OpGround, runOp } from "./run-op.ts"
import type { FleetApproval, FleetSession, Lease, OpAnswer, QueuedOp, SessionNews } from "#fleet/records.ts"
import type { Shipper } from "./ship.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Workplace } from "./workplace.ts"

/** What it costs is not told more often. */
const reportMs = 2_000

export interface AttendingParts {
  readonly store: FleetStore
  readonly lease: Lease
  readonly record: FleetSession
  readonly session: Session
  readonly local: Pick<LocalLog, "has">
  readonly shipper: Pick<Shipper, "arrived">
  readonly followed: Followed
  readonly persist: Persist
  readonly clock: Clock
  readonly workplace: Pick<Workplace, "clone">
  readonly openPull?: OpenPull | undefined
}

export interface Attending {
  /** Does what was asked since the last look; false if the session is somebody else's by now. */
  readonly check: () => Promise<boolean>
  readonly answer: (questions: readonly Question[]) => Promise<void>
  /** Messages that are in the log need not be sent again, whatever happens. */
  readonly tellDelivered: () => Promise<void>
  readonly report: () => Promise<void>
}

export function openAttending(parts: AttendingParts, busy: Busy): Attending {
  const { store, lease, session, local, shipper, followed, persist, clock } = parts
  const sending = new Set<string>()
  let approvals: readonly FleetApproval[] = []
  let attended: number | undefined
  let reported: { readonly stage: FleetSession["stage"]; readonly text: string; readonly at: number } | undefined

  async function done(id: string): Promise<void> {
    if ((await shipper.arrived()).ok) await persist(() => store.ops.finish(lease, id))
  }

  /** Whoever waits for the answer looks at the session next. */
  async function tellSettings(op: FleetOp): Promise<void> {
    if (!(await shipper.arrived()).ok) return
    const { stage: _stage, result: _result, ...news } = await newsOf(session, followed)
    // Its entry may not have been followed yet.
    const title = op.type === "rename" ? { title: op.title.trim() } : {}
    await persist(() => store.leases.report(lease, { ...news, ...title }))
  }

  const ground = opGround(parts)

  /** A review that is in the log was done by a worker that ended before it could say so. */
  async function answerTo(queued: QueuedOp): Promise<OpAnswer | "later"> {
    const { id, op } = queued
    if (op?.type !== "review") return runOp(ground, queued, busy.is())
    const before = followed.review(id)
    if (before) return answerOfReview(ground, before)
    return local.has(id) ? answerOfReview(ground, { hunks: [] }) : runOp(ground, queued, busy.is())
  }

  return {
    async check() {
      const wakes = await persist(() => store.leases.attend(lease))
      if (!wakes.ok) return false
      if (wakes.value === attended) return true
      approvals = await persist(() => store.approvals.of(lease.sessionId))
      for (const queued of await persist(() => store.ops.waiting(lease.sessionId))) {
        const { id, op } = queued
        if (sending.has(id)) continue
        if (followed.has(id) || (local.has(id) && op?.type !== "review")) {
          await done(id)
          continue
        }
        const answer = await answerTo(queued)
        busy.check()
        if (answer === "later") sending.add(id)
        else {
          if (answer.ok && op) await tellSettings(op)
          await persist(() => store.ops.finish(lease, id, answer))
        }
      }
      attended = wakes.value
      return true
    },
    async answer(questions) {
      for (const question of questions) {
        const found = answerOf(question, approvals)
        if (!found) continue
        const { id: questionId, digest } = question
        if (found.answer.kind === "allow") followed.approved(question)
        await session.submit({ type: "answer", questionId, answer: found.answer, digest, ...optional("by", found.by) })
      }
    },
    async tellDelivered() {
      for (const id of sending) {
        if (!followed.has(id)) continue
        sending.delete(id)
        await done(id)
      }
    },
    async report() {
      if (!busy.is()) return
      const news = await newsOf(session, followed)
      const { stage, ...rest } = news
      // While a worker has it, it neither waits nor is over: that is said when it is set aside.
      const isWorking = stage === "planning" || stage === "executing"
      const working = isWorking ? stage : (reported?.stage ?? parts.record.stage)
      const text = JSON.stringify(rest)
      const isNew = working !== (reported?.stage ?? parts.record.stage)
      if (!isNew && (text === reported?.text || Math.abs(clock.now() - (reported?.at ?? 0)) < reportMs)) return
      reported = { stage: working, text, at: clock.now() }
      await persist(() => store.leases.report(lease, isNew ? { ...rest, stage: working } : rest))
    },
  }
}

function opGround(parts: AttendingParts): OpGround {
  const { store, lease, session, shipper, persist } = parts
  return {
    session,
    publish: (op, at) =>
      publishWork(
        {
          workplace: parts.workplace,
          openPull: parts.openPull,
          note: async (work) => void (await persist(() => store.changes.published(lease, work))),
        },
        op,
        at,
      ),
    async keepChanges(collectFiles) {
      if (!(await shipper.arrived()).ok) return
      const lines = (await persist(() => store.sessions.get(lease.sessionId)))?.lines ?? 0
      const files = await collectFiles()
      if (files)
        await persist(() => store.changes.keep(lease, { lines, summary: summaryOf(files) }, reviewedFiles(files)))
    },
  }
}

/** What is known of a session right now. */
export async function newsOf(session: Session, followed: Pick<Followed, "title">): Promise<SessionNews> {
  const [{ mode, model, costUsd }, overview, gates] = await Promise.all([
    session.ask({ type: "state" }),
    session.ask({ type: "stage" }),
    session.ask({ type: "gates" }),
  ])
  const { stage, plan, clarifiedQuery, result } = overview
  return {
    mode,
    model,
    costUsd,
    stage,
    gates,
    ...optional("plan", plan),
    ...optional("clarifiedQuery", clarifiedQuery),
    ...optional("result", result),
    ...optional("title", followed.title()),
  }
}

export interface Busy {
  readonly is: () => boolean
  /** It may have begun something. */
  readonly check: () => void
}

export function openBusy(session: Session, changed: () => void): Busy {
  let polls = 0
  let is = true
  function poll(): void {
    const nth = ++polls
    is = true
    void session.ask({ type: "settled" }).then(() => {
      if (nth !== polls) return
      is = false
      changed()
    })
  }
  poll()
  return { is: () => is, check: poll }
}
