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
import type { JsonObject } from "#lib/json.ts"
import { ok } from "#lib/result.ts"
import type { Approval } from "#session/port/approval.ts"
import { type ApprovalDetails, detailsOf } from "#session/port/approval-details.ts"
import type { Session } from "#session/port/session.ts"
import { hasNewsForLead, restingMembers } from "#session/port/team-rest.ts"
import { type Activity, openActivity } from "./activity.ts"
import { newsOf, openAttending, openBusy } from "./attending.ts"
import { type Followed, openFollowed } from "./follow.ts"
import { heldTeams } from "./held-teams.ts"
import { copyTo, fetchLog, type LocalLog } from "./local-log.ts"
import { memberSessions } from "./member-sessions.ts"
import { openMoments } from "./moments.ts"
import { openNews } from "./news.ts"
import type { OpenedSession, OpenFleetSession } from "./opening.ts"
import { type Persist, persistently } from "./persist.ts"
import type { FleetSession, Lease, NewApproval, SessionNews, WorkspaceSource } from "#fleet/records.ts"
import { openShipper, type Shipper } from "./ship.ts"
import type { FleetStore } from "#fleet/store.ts"
import { sharedBudget } from "./shared-budget.ts"
import { openTeamTrees } from "./team-trees.ts"
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
  /** Why the session was cut off, if it was: as part of a sentence. */
  readonly cutBy: string
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
  const hasWork = orders.length > 0 || (record.stage === "completed" && (await persist(() => store.teams.owes(id))))
  if (isOver(record.stage) && !hasWork) return park({})
  const fail = (text: string): Promise<undefined> => park({ stage: "failed", result: { ok: false, text } })
  const workplace = await persist(() => parts.workplaces.prepare(record, lease))
  if (!workplace.ok) return workplace.failure.kind === "fenced" ? undefined : fail(workplace.failure.message)
  const { cwd, plans, worktrees, folder, notes } = workplace.value
  const shelf = openShelf({ projects: scratch, slug: "logs" })
  const local = await persist(() => fetchLog(id, { path: shelf.logPath(id), folder }, store.lines))
  const activity = openActivity()
  const shipper = openShipper({
    lines: store.lines,
    lease,
    already: local.lines,
    clock,
    // Whoever continues elsewhere finds the files as these lines say they are.
    async before() {
      const { isBehind, keep } = workplace.value
      if (activity.takeChanged() || isBehind()) await keptOr(parts.lost, () => persist(keep))
    },
  })
  const copy = copyTo(local, shipper)
  const log =
    local.lines === 0
      ? ({ kind: "new", folder } as const)
      : ({ kind: "resume", path: local.path, folder, why: parts.cutBy } as const)
  const { onCall, watched } = activity
  const followed = openFollowed()
  if (local.lines > 0) restorePlan(entriesIn(local.path), plans)
  const lead = record.lead ?? id
  const { keep, bring } = workplace.value
  const trees = bring && openTeamTrees({ store, own: id, lead, keep, bring, persist })
  const teams = heldTeams(store.teams, lease, { lead, plans, persist, trees })
  const handed = (team: string): Promise<JsonObject | undefined> => persist(() => store.teams.handed(lead, team))
  const members = memberSessions({ ...parts, record, persist, trees })
  const opened = await parts.open({
    record,
    cwd,
    // The log says it, unless a worker ended right after its first line.
    ...(!local.saysMode && { mode: record.mode }),
    plans,
    worktrees,
    teams,
    handed,
    members,
    budget: async (budget) => ({
      budget: sharedBudget({ store, lease, lead, persist }, budget),
      spent: await persist(() => store.spending.of(id)),
    }),
    log,
    shelf,
    copy,
    onCall,
    // Nothing that somebody allowed runs before the audit says what.
    onRun({ callId, tool, input }) {
      const approvalId = followed.takeApproval(callId)
      if (approvalId === undefined) return undefined
      return persist(() => store.approvals.ran(lease, approvalId, { tool: tool.name, input })).then(() => undefined)
    },
    watched,
    notes,
  })
  if (!opened.ok) {
    shipper.close()
    return fail(opened.failure)
  }
  const { session } = opened.value
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
async function goOn({ session, local, cutBy }: Held): Promise<void> {
  const end = await lastEnd(session)
  const promptId = end?.cause === "program_ended" || isUnsaved(end) ? `continue-${end?.turnId}` : undefined
  if (promptId !== undefined && !local.has(promptId))
    await session.submit({
      type: "prompt",
      content: [{ type: "text", text: cutWords(cutBy) }],
      when: "queue",
      promptId,
      as: "text",
      origin: { kind: "made" },
    })
  await session.submit({ type: "release" })
}

type TurnEnd = Extract<Entry, { readonly kind: "turn_end" }>

const lastEnd = async (session: Session): Promise<TurnEnd | undefined> =>
  (await session.ask({ type: "turn" })).findLast((entry) => entry.kind === "turn_end")

const isUnsaved = (end: TurnEnd | undefined): boolean => end?.cause === "log"

const cutWords = (cutBy: string): string =>
  `The last turn was cut off: ${cutBy}. It continues now, perhaps on another machine. Look at what was done, then continue with the task.`

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
  let isLate: boolean | undefined
  let stopLooking = (): void => undefined
  const look = (): void => {
    news.tell("woken")
    stopLooking = clock.after(unheardMs, look)
  }
  try {
    look()
    for (;;) {
      if (lost.aborted) return
      if (news.isWoken() && !(await attending.look())) return
      const questions = await session.ask({ type: "questions" })
      await attending.answer(questions)
      await attending.tellDelivered()
      if (draining.aborted) {
        if (isLate === undefined) clock.after(patience.drainMs, () => (isLate = true))
        isLate ??= false
        if (activity.isHarmless() || isLate) return await handOver(held)
      }
      await attending.report()
      const quietMs = news.quietMs()
      const isQuiet = quietMs >= patience.backgroundMs && activity.isStill()
      if (!busy.is() && questions.length === 0 && !(await goesOn(held, isQuiet)) && !busy.is())
        return await finish(held)
      if (questions.length > 0 && quietMs >= patience.waitingMs && activity.isOnlyWaiting(questions)) {
        const still = await session.ask({ type: "questions" })
        if (isSame(still, questions)) return await setAside(held, still)
      }
      await news.next(questions.length > 0 || draining.aborted ? patience.waitingMs : idleMs)
    }
  } finally {
    stopWatching()
    stopLooking()
    moments.close()
    // It ends when the session is closed, which the caller does.
    void following
  }
}

/** Nothing depends on it: it is how long something unseen could go unnoticed. */
const idleMs = 1_000

/** Nobody may have told of what came from outside: a connection can be dead without a word. */
const unheardMs = 10_000

const isSame = (a: readonly Question[], b: readonly Question[]): boolean =>
  a.length === b.length && a.every(({ id, digest }, nth) => b[nth]?.id === id && b[nth].digest === digest)

/** Whether something goes on although no turn does. `isQuiet`: what runs beside it has had its time. */
async function goesOn({ store, lease, session, opened, persist }: Held, isQuiet: boolean): Promise<boolean> {
  if (opened.isResting?.() === false) return true
  // The team first: one that continues may still be starting its members.
  const resting = await restingMembers(session)
  if (await hasNewsForLead(session)) {
    await session.submit({ type: "wake" })
    return true
  }
  // What just changed in the team may not have been noticed here yet.
  const isInTeam = opened.isResting !== undefined || (await session.ask({ type: "team" })) !== null
  if (isInTeam && (await persist(() => store.teams.owes(lease.sessionId)))) return true
  if (isQuiet) return false
  const [commands, agents] = await Promise.all([session.ask({ type: "background" }), session.ask({ type: "agents" })])
  return (
    commands.length > 0 ||
    agents.some(({ fact, idle }) => fact.state !== "ended" && !idle && !resting.has(fact.agentId))
  )
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
  const { pending } = await session.ask({ type: "stage" })
  const approvals = pending.flatMap((each) => {
    const question = questions.find(({ id }) => id === each.id)
    return question ? [asNewApproval(each, question, held)] : []
  })
  if (await leave(held, "handing over")) await persist(() => store.leases.park(lease, news, approvals))
}

const asNewApproval = (
  { id, kind, title, action, explanation, risks, digest }: Approval,
  question: Question,
  { record, patience }: Pick<Held, "record" | "patience">,
): NewApproval => ({
  id,
  kind,
  title,
  action,
  explanation,
  risks,
  ...given("details", inFolder(detailsOf(question), record.opening.workspace)),
  digest,
  ...given("expiresInMs", patience.approvalMs),
})

const inFolder = (details: ApprovalDetails | undefined, workspace: WorkspaceSource): ApprovalDetails | undefined =>
  details && { ...details, folder: "git" in workspace ? "own" : "shared" }

async function finish(held: Held): Promise<void> {
  const { store, lease, session, followed, persist } = held
  // It has not ended: its log could not be written here, and whoever misses its worker continues with it.
  if (isUnsaved(await lastEnd(session))) return
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
