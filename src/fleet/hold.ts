/** One session in a worker's hands: opened where it was left, looked after, and set aside when it waits or is done. */

import { existsSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import type { Question } from "#agent/words/question.ts"
import { isOver, type SessionStage } from "#agent/words/stage.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { openShelf } from "#ground/transcript/shelf.ts"
import type { Clock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import { ok } from "#lib/result.ts"
import { cutOff } from "#session/journal/repair.ts"
import type { Approval } from "#session/port/approval.ts"
import type { Session } from "#session/port/session.ts"
import { type Activity, openActivity } from "./activity.ts"
import { newsOf, openAttending, openBusy } from "./attending.ts"
import { type Followed, openFollowed } from "./follow.ts"
import { copyTo, fetchLog, type LocalLog } from "./local-log.ts"
import { openMoments } from "./moments.ts"
import { openNews } from "./news.ts"
import type { OpenedSession, OpenFleetSession } from "./opening.ts"
import { type Persist, persistently } from "./persist.ts"
import type { FleetSession, Lease, NewApproval, SessionNews } from "./records.ts"
import { openShipper, type Shipper } from "./ship.ts"
import type { FleetStore } from "./store.ts"
import type { Workplace, Workplaces } from "./workplace.ts"

export interface HoldParts {
  readonly store: FleetStore
  readonly lease: Lease
  readonly open: OpenFleetSession
  readonly workplaces: Workplaces
  /** For the log of the session, while this process has it. */
  readonly scratch: string
  readonly clock: Clock
  readonly patience: Patience
  /** Aborts when somebody else has the session: it ends at once, and nothing is written any more. */
  readonly lost: AbortSignal
  /** Aborts when the worker is about to end. */
  readonly draining: AbortSignal
}

export interface Patience {
  /** A session that only waits is set aside after so long without any news. */
  readonly waitingMs: number
  /** Work in the background may go on for so long after the end of a turn. */
  readonly backgroundMs: number
  /** What changes something may go on for so long when the worker ends. */
  readonly drainMs: number
  /** Nobody having decided for so long is a no; never when absent. */
  readonly approvalMs?: number | undefined
}

interface Held extends HoldParts {
  readonly record: FleetSession
  readonly opened: OpenedSession
  readonly session: Session
  readonly workplace: Workplace
  readonly local: LocalLog
  readonly shipper: Shipper
  readonly activity: Activity
  readonly followed: Followed
  readonly persist: Persist
}

export async function hold(parts: HoldParts): Promise<void> {
  const held = await begin(parts, persistently(parts.clock, parts.lost))
  if (!held) return
  const stop = (): void => held.shipper.close()
  parts.lost.addEventListener("abort", stop)
  if (parts.lost.aborted) stop()
  try {
    await lookAfter(held)
  } finally {
    parts.lost.removeEventListener("abort", stop)
    await held.opened.close("handing over")
    held.shipper.close()
    rmSync(held.local.path, { force: true })
  }
}

/** Nothing if there is nothing to do, or it cannot be opened, which is then said in its record. */
async function begin(parts: HoldParts, persist: Persist): Promise<Held | undefined> {
  const { store, lease, scratch, clock } = parts
  const id = lease.sessionId
  const record = await persist(() => store.sessions.get(id))
  if (!record) return undefined
  const orders = await persist(() => store.orders.waiting(id))
  const park = async (news: SessionNews): Promise<undefined> => {
    await persist(() => store.leases.park(lease, news))
    return undefined
  }
  if (isOver(record.stage) && orders.length === 0) return park({})
  const fail = (text: string): Promise<undefined> => park({ stage: "failed", result: { ok: false, text } })
  const workplace = await persist(() => parts.workplaces.prepare(record, lease))
  if (!workplace.ok) return workplace.failure.kind === "fenced" ? undefined : fail(workplace.failure.message)
  const { cwd, plans, folder } = workplace.value
  const shelf = openShelf({ projects: scratch, slug: "logs" })
  const local = await persist(() => fetchLog(id, { path: shelf.logPath(id), folder }, store.lines))
  const shipper = openShipper({ lines: store.lines, lease, already: local.lines, clock })
  const activity = openActivity()
  const copy = copyTo(local, {
    add: shipper.add,
    // Whoever continues elsewhere finds the files as they were before what is about to happen.
    async arrived() {
      if (activity.takeChanged()) await keptOr(parts.lost, () => persist(workplace.value.keep))
      return shipper.arrived()
    },
  })
  const log =
    local.lines === 0 ? ({ kind: "new", folder } as const) : ({ kind: "resume", path: local.path, folder } as const)
  const { onCall, watched } = activity
  if (local.lines > 0) restorePlan(entriesIn(local.path), plans)
  const opened = await parts.open({ record, cwd, plans, log, shelf, copy, onCall, watched })
  if (!opened.ok) {
    shipper.close()
    return fail(opened.failure)
  }
  const { session } = opened.value
  const followed = openFollowed()
  for (const entry of await session.ask({ type: "turn" })) followed.take(entry)
  const held = {
    ...parts,
    record,
    opened: opened.value,
    session,
    workplace: workplace.value,
    local,
    shipper,
    activity,
    followed,
    persist,
  }
  await goOn(held)
  return held
}

/** If the session is lost meanwhile, the barrier itself says so. */
async function keptOr(lost: AbortSignal, keep: () => Promise<void>): Promise<void> {
  await keep().catch((error: unknown) => {
    if (!lost.aborted) throw error
  })
}

function entriesIn(path: string): readonly Entry[] {
  const loaded = loadTail(path, { torn: "leave" })
  return loaded.ok ? loaded.value.entries : []
}

/** On another machine, the plan that was shown is where it was. */
function restorePlan(entries: readonly Entry[], plans: string): void {
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "question" || entry.question.ask.kind !== "plan") continue
    const { path, plan } = entry.question.ask
    if (dirname(path) === plans && !existsSync(path)) writeFileSync(path, plan, { mode: 0o600 })
    return
  }
}

/** A turn that was cut off, other than by waiting for a person, continues with a word about it: once, whoever is killed meanwhile. */
async function goOn({ session, local }: Held): Promise<void> {
  const cut = (await session.ask({ type: "turn" })).findLast((entry) => entry.kind === "turn_end")
  const promptId = cut?.kind === "turn_end" && cut.message === cutOff ? `continue-${cut.turnId}` : undefined
  if (promptId !== undefined && !local.has(promptId))
    await session.submit({
      type: "prompt",
      content: [{ type: "text", text: cutWords }],
      when: "queue",
      promptId,
      as: "text",
      origin: { kind: "made" },
    })
  await session.submit({ type: "release" })
}

const cutWords =
  "The program ended during the last turn and was started again, perhaps on another machine. Look at what was done, then continue with the task."

async function lookAfter(held: Held): Promise<void> {
  const { store, lease, session, clock, activity, followed, patience, lost, draining } = held
  const news = openNews(clock)
  const moments = openMoments(store.lines, lease, clock)
  const stopWatching = store.watch((which) => {
    if (which === undefined || which === lease.sessionId) news.tell("woken")
  })
  for (const signal of [lost, draining]) signal.addEventListener("abort", () => news.tell("event"))
  const busy = openBusy(session, () => news.tell("event"))
  const following = (async () => {
    for await (const event of session.events("now")) {
      if (event.type === "entry") followed.take(event.entry)
      else moments.add(event)
      if (event.type === "entry" && event.entry.kind === "turn_start") busy.look()
      news.tell("event")
    }
    news.tell("event")
  })()
  const attending = openAttending(held, busy)
  let drainFrom: number | undefined
  try {
    news.tell("woken")
    for (;;) {
      if (lost.aborted) return
      if (news.isWoken() && !(await attending.look())) return
      const questions = await session.ask({ type: "questions" })
      await attending.answer(questions)
      await attending.tellDelivered()
      if (draining.aborted) {
        drainFrom ??= clock.now()
        const isLate = clock.now() - drainFrom >= patience.drainMs
        if (activity.isHarmless() || isLate) return await handOver(held)
      }
      await attending.report()
      const quietMs = news.quietMs()
      if (!busy.is() && (quietMs >= patience.backgroundMs || !(await worksBeside(session)))) return await finish(held)
      if (busy.is() && questions.length > 0 && quietMs >= patience.waitingMs && activity.isOnlyWaiting(questions)) {
        const still = await session.ask({ type: "questions" })
        if (isSame(still, questions)) return await setAside(held, still)
      }
      await news.next(questions.length > 0 || draining.aborted ? patience.waitingMs : idleMs)
    }
  } finally {
    stopWatching()
    moments.close()
    // It ends when the session is closed, which the caller does.
    void following
  }
}

/** Nothing depends on it: it is how long something unseen could go unnoticed. */
const idleMs = 1_000

const isSame = (a: readonly Question[], b: readonly Question[]): boolean =>
  a.length === b.length && a.every(({ id, digest }, nth) => b[nth]?.id === id && b[nth].digest === digest)

async function worksBeside(session: Session): Promise<boolean> {
  const [commands, agents] = await Promise.all([session.ask({ type: "background" }), session.ask({ type: "agents" })])
  return commands.length > 0 || agents.some(({ fact, idle }) => fact.state !== "ended" && !idle)
}

/** Everything of it is in the database before anybody else may take it. */
async function leave({ opened, shipper, workplace, persist }: Held, how?: "handing over"): Promise<boolean> {
  await opened.close(how)
  await persist(workplace.keep)
  return (await shipper.arrived()).ok
}

async function handOver(held: Held): Promise<void> {
  const { store, lease, persist } = held
  if (await leave(held, "handing over")) await persist(() => store.leases.handOver(lease))
}

async function setAside(held: Held, questions: readonly Question[]): Promise<void> {
  const { store, lease, session, followed, persist } = held
  const { result: _result, ...news } = await newsOf(session, followed)
  const asked = new Set(questions.map(({ id }) => id))
  const { pending } = await session.ask({ type: "stage" })
  const approvals = pending
    .filter(({ id }) => asked.has(id))
    .map((each) => asNewApproval(each, held.patience.approvalMs))
  if (await leave(held, "handing over")) await persist(() => store.leases.park(lease, news, approvals))
}

const asNewApproval = (
  { id, kind, title, action, explanation, risks, digest }: Approval,
  expiresInMs: number | undefined,
): NewApproval => ({
  id,
  kind,
  title,
  action,
  explanation,
  risks,
  digest,
  ...given("expiresInMs", expiresInMs),
})

async function finish(held: Held): Promise<void> {
  const { store, lease, session, followed, persist } = held
  const { stage = "completed", result, ...news } = await newsOf(session, followed)
  const outcome = outcomeOf(stage, result)
  if (!(await leave(held))) return
  const published = outcome.stage === "completed" ? await held.workplace.publish() : ok(undefined)
  const told = published.ok ? outcome : { ...outcome, result: { ok: false, text: published.failure } }
  await persist(() => store.leases.park(lease, { ...news, ...told }))
}

/** Only whoever cancels a session ends it for good: an interrupted one continues with the next message. */
function outcomeOf(stage: SessionStage, result: SessionNews["result"]): SessionNews {
  if (stage === "cancelled") return { stage: "completed", result: { ok: false, text: interruptedWords } }
  const isWorking = stage === "planning" || stage === "executing"
  return { stage: isWorking ? "completed" : stage, ...given("result", result) }
}

const interruptedWords = "Interrupted. Send a message to continue."
