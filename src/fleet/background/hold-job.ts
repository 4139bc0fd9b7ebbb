/** One background session in the host: opened where it was left, looked after, and closed when it waits, is done, or is stopped. See decision 141. */

import type { Entry } from "#agent/words/entry.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Model } from "#agent/words/model.ts"
import type { Question } from "#agent/words/question.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { Session } from "#session/port/session.ts"
import { hasNewsForLead, restingMembers } from "#session/port/team-rest.ts"
import { openActivity, type Activity } from "#fleet/work/activity.ts"
import { type Busy, openBusy } from "#fleet/work/attending.ts"
import { type News, openNews } from "#fleet/work/news.ts"
import type { BackgroundJob, JobPrompt } from "./job.ts"
import type { Jobs } from "./jobs.ts"
import { continueId, isCutOff, promptIdOf } from "./progress.ts"

export interface OpenedJob {
  readonly session: Session
  readonly close: Session["close"]
  /** Whether a prompt with this id is in its log. */
  readonly has: (promptId: string) => boolean
  /** The ids of prompts that were queued in it and not sent. */
  readonly queued: readonly string[]
  /** The ids of questions that were open in it. */
  readonly asked: readonly string[]
}

/** `busy`: another process has it open. Otherwise a sentence for the user. */
export type JobFailure = { readonly kind: "busy" } | { readonly kind: "failed"; readonly message: string }

export type OpenJob = (
  job: BackgroundJob,
  watching: { readonly onCall: (call: Call) => () => void; readonly watched: (model: Model) => Model },
) => Promise<Result<OpenedJob, JobFailure>>

/** Lets other processes use it; the callback gets how many do. */
export type OfferJob = (session: Session, onFaces: (count: number) => void) => { readonly stop: () => void }

export interface HoldJob {
  readonly jobs: Jobs
  readonly open: OpenJob
  readonly offer: OfferJob
  /** Somebody should know: it waits, or has ended. */
  readonly notify: (job: BackgroundJob, what: "asks" | "done", words: string) => void
  readonly clock: Clock
  readonly patience: HostPatience
  /** Aborts when the host is about to end. */
  readonly draining: AbortSignal
}

export interface HostPatience {
  /** One that only waits is closed after so long without any news. */
  readonly waitingMs: number
  /** Work in the background may go on for so long after the end of a turn. */
  readonly backgroundMs: number
  /** What changes something may go on for so long when the host ends. */
  readonly drainMs: number
  /** One that somebody wants to see is kept open for so long before they come. */
  readonly wantedMs: number
  /** One with mail is kept open for so long until its turn begins. */
  readonly mailMs: number
}

export interface HeldJob {
  /** Resolves when it is closed. */
  readonly over: Promise<void>
  /** Something was asked of it. */
  readonly wake: () => void
}

export function holdJob(job: BackgroundJob, parts: HoldJob): HeldJob {
  const news = openNews(parts.clock)
  const wake = (): void => news.announce("woken")
  return { wake, over: openAndAttend(job, news, parts) }
}

async function openAndAttend(job: BackgroundJob, news: News, parts: HoldJob): Promise<void> {
  const { jobs, open, offer } = parts
  const activity = openActivity()
  const isWanted = watchWanted(job, parts)
  isWanted()
  const opened = await open(job, activity)
  if (!opened.ok) {
    if (opened.failure.kind === "failed") jobs.mark(job.id, "problem", opened.failure.message)
    return
  }
  jobs.unmark(job.id, "problem")
  const { session } = opened.value
  const faces = { count: 0 }
  const offered = offer(session, (count) => {
    faces.count = count
    news.announce("event")
  })
  // Others are let go of first: a session that is left with a question open ends in entries that the log does not keep.
  const close: Session["close"] = (how) => {
    offered.stop()
    return opened.value.close(how)
  }
  try {
    await lookAfter({ ...parts, job, opened: opened.value, session, news, activity, faces, isWanted, close })
  } finally {
    await close("handing over")
  }
  // Only now: whoever was killed before is opened again, and looks once more.
  if (!parts.draining.aborted) jobs.unmark(job.id, "reading")
}

interface Held extends HoldJob {
  readonly job: BackgroundJob
  readonly opened: OpenedJob
  readonly session: Session
  readonly news: News
  readonly activity: Activity
  readonly faces: { readonly count: number }
  /** Whether somebody is about to attach. */
  readonly isWanted: () => boolean
  readonly close: Session["close"]
}

async function lookAfter(runningJob: Held): Promise<void> {
  const { job, jobs, session, news, activity, faces, isWanted, patience, clock, draining } = runningJob
  const busy = openBusy(session, () => news.announce("event"))
  draining.addEventListener("abort", () => news.announce("event"))
  const sent = openSending(runningJob)
  const stopping = openStopping(runningJob)
  let hasWorked = false
  const mail = watchMail(runningJob)
  const following = follow(runningJob, busy, (entry) => {
    // After an answer a turn only ends here.
    hasWorked ||= entry.kind === "turn_start" || entry.kind === "turn_end"
    if (entry.kind === "turn_start") mail.onTurn()
    sent.onEntry(entry)
    stopping.onEntry(entry)
  })
  if (!stopping.isStopped()) {
    await goOn(runningJob, sent)
    await session.submit({ type: "release" })
  }
  let isLate: boolean | undefined
  for (;;) {
    // Somebody took it out of the background.
    if (!jobs.get(job.id)) return await runningJob.close("handing over")
    if (stopping.isNew()) await session.submit({ type: "interrupt", withdraw: "stop" })
    if (!stopping.isStopped()) await sent.send()
    if (!stopping.isStopped()) await mail.check()
    if (sent.hasBegun()) busy.check()
    const questions = await session.ask({ type: "questions" })
    if (draining.aborted) {
      if (isLate === undefined) clock.after(patience.drainMs, () => (isLate = true))
      isLate ??= false
      if (activity.isHarmless() || isLate) return await runningJob.close("handing over")
    }
    const isWatched = isWanted() || faces.count > 0
    const quietMs = news.quietMs()
    const isQuiet = quietMs >= patience.backgroundMs && activity.isStill()
    if (!busy.is() && quietMs >= unrecordedMs) sent.giveUp()
    const isPending = sent.isPending() && !stopping.isStopped()
    // A face may have sent something a moment before it left.
    const rests = !busy.is() && questions.length === 0 && !isPending && !mail.isRead() && quietMs >= patience.waitingMs
    if (rests && !isWatched && !(await goesOn(session, isQuiet)) && !busy.is())
      return await finish(runningJob, hasWorked)
    if (questions.length > 0 && !isWatched && quietMs >= patience.waitingMs && activity.isOnlyWaiting(questions)) {
      const still = await session.ask({ type: "questions" })
      if (isSame(still, questions)) return await setAside(runningJob, still)
    }
    const isNear = questions.length > 0 || draining.aborted || !busy.is()
    await news.next(isNear ? patience.waitingMs : idleMs)
    void following
  }
}

/** Bounds how late something is noticed that nobody told of. */
const idleMs = 1_000

/** A command that only shows something leaves nothing in the log. */
const unrecordedMs = 1_000

async function follow({ session, news }: Held, busy: Busy, onEntry: (entry: Entry) => void): Promise<void> {
  for await (const event of session.events("now")) {
    if (event.type === "entry") {
      onEntry(event.entry)
      if (event.entry.kind === "turn_start") busy.check()
    }
    news.announce("event")
  }
  news.announce("event")
}

/** A turn that was cut off, other than by waiting for a person, continues with a word about it: once, whoever is killed meanwhile. */
async function goOn({ session, opened }: Held, sent: Sending): Promise<void> {
  const turn = await session.ask({ type: "turn" })
  const end = turn.findLast((entry) => entry.kind === "turn_end")
  if (!end || !isCutOff(end) || opened.has(continueId(end.turnId))) return
  await sent.sendOne({ id: continueId(end.turnId), text: cutWords, origin: { kind: "made" } })
}

const cutWords =
  "The last turn was cut off because the program ended. It continues now. Look at what was done, then continue with the task."

interface MailWatch {
  /** Lets the session look if something has come. */
  readonly check: () => Promise<void>
  readonly onTurn: () => void
  /** Whether it is about to look. */
  readonly isRead: () => boolean
}

function watchMail({ job, jobs, session, clock, patience }: Held): MailWatch {
  const later = (): number => clock.now() + patience.mailMs
  let until = jobs.marked(job.id, "reading") ? later() : 0
  return {
    async check() {
      if (!jobs.remark(job.id, "mail", "reading")) return
      until = later()
      await session.submit({ type: "wake" })
    },
    onTurn: () => void (until = 0),
    isRead: () => clock.now() < until,
  }
}

function watchWanted({ id }: BackgroundJob, { jobs, clock, patience }: HoldJob): () => boolean {
  let until = 0
  return () => {
    if (jobs.marked(id, "wanted")) {
      jobs.unmark(id, "wanted")
      until = clock.now() + patience.wantedMs
    }
    return clock.now() < until
  }
}

interface Stopping {
  readonly isStopped: () => boolean
  /** Whether somebody has stopped it since the last look. */
  readonly isNew: () => boolean
  readonly onEntry: (entry: Entry) => void
}

/** Whoever continues a session that was stopped has resumed it. */
function openStopping({ job, jobs }: Held): Stopping {
  const stoppedAt = (): number | undefined => jobs.marked(job.id, "stopped")?.at
  let known = stoppedAt()
  return {
    isStopped: () => stoppedAt() !== undefined,
    isNew() {
      const before = known
      known = stoppedAt()
      return known !== undefined && known !== before
    },
    onEntry({ kind, at }) {
      if ((kind === "turn_start" || kind === "answer") && at > (known ?? Infinity)) jobs.unmark(job.id, "stopped")
    },
  }
}

interface Sending {
  /** Sends what is due. */
  readonly send: () => Promise<void>
  readonly sendOne: (prompt: JobPrompt) => Promise<void>
  readonly onEntry: (entry: Entry) => void
  /** Whether a prompt was accepted whose turn has not begun. */
  readonly isPending: () => boolean
  /** What is not in the log by now will not be. */
  readonly giveUp: () => void
  /** Whether something was sent since the last look. */
  readonly hasBegun: () => boolean
}

function openSending({ job, jobs, session, opened, clock }: Held): Sending {
  /** Sent here, and not in the log yet. */
  const sending = new Set<string>()
  /** In the log, whoever sent it: nothing runs between that and the beginning of its turn. */
  const queued = new Set(opened.queued)
  let hasBegun = false

  async function sendOne({ id, text, origin }: JobPrompt): Promise<void> {
    sending.add(id)
    hasBegun = true
    const done = await session.submit({
      type: "prompt",
      content: [{ type: "text", text }],
      when: "queue",
      promptId: id,
      ...optional("origin", origin),
    })
    if (done.ok) return
    sending.delete(id)
    jobs.removePrompt(job.id, id)
    jobs.mark(job.id, "problem", opFailureWords(done.failure))
  }

  return {
    sendOne,
    async send() {
      for (const prompt of jobs.get(job.id)?.prompts ?? []) {
        if (sending.has(prompt.id) || (prompt.notBefore ?? 0) > clock.now()) continue
        if (opened.has(prompt.id)) jobs.removePrompt(job.id, prompt.id)
        else await sendOne(prompt)
      }
    },
    onEntry(entry) {
      const promptId = promptIdOf(entry)
      if (promptId !== undefined && sending.delete(promptId)) jobs.removePrompt(job.id, promptId)
      if (entry.kind === "withdrawn") for (const one of entry.prompts) queued.delete(one.promptId)
      else if (promptId !== undefined && entry.kind === "queued") queued.add(promptId)
      else if (promptId !== undefined) queued.delete(promptId)
    },
    isPending: () => sending.size > 0 || queued.size > 0,
    giveUp() {
      for (const id of sending) jobs.removePrompt(job.id, id)
      sending.clear()
    },
    hasBegun() {
      const was = hasBegun
      hasBegun = false
      return was
    },
  }
}

async function finish({ job, session, close, notify }: Held, hasWorked: boolean): Promise<void> {
  const { result } = await session.ask({ type: "stage" })
  await close()
  if (result && hasWorked) notify(job, "done", result.text)
}

async function setAside({ job, opened, close, notify }: Held, questions: readonly Question[]): Promise<void> {
  await close("handing over")
  // Whoever has seen a question and left it open knows of it.
  if (questions.every(({ id }) => opened.asked.includes(id))) return
  notify(job, "asks", questions.length === 1 ? "It has a question." : `It has ${questions.length} questions.`)
}

const isSame = (a: readonly Question[], b: readonly Question[]): boolean =>
  a.length === b.length && a.every(({ id, digest }, nth) => b[nth]?.id === id && b[nth].digest === digest)

/** Whether something goes on although no turn does. `isQuiet`: what runs beside it has had its time. */
async function goesOn(session: Session, isQuiet: boolean): Promise<boolean> {
  const resting = await restingMembers(session)
  if (await hasNewsForLead(session)) {
    await session.submit({ type: "wake" })
    return true
  }
  if (isQuiet) return false
  const [commands, agents] = await Promise.all([session.ask({ type: "background" }), session.ask({ type: "agents" })])
  return (
    commands.length > 0 ||
    agents.some(({ fact, idle }) => fact.state !== "ended" && !idle && !resting.has(fact.agentId))
  )
}
