/** One session in a worker's hands: opened where it was left, looked after, and set aside when it waits or is done. See decision 82. */

import { rmSync } from "node:fs"
import type { Question } from "#agent/words/question.ts"
import { hasNewsForLead, restingMembers } from "#session/port/team-rest.ts"
import { openAttending, openBusy } from "./attending.ts"
import type { HeldSession, HoldParts } from "./held-session.ts"
import { openMoments } from "./moments.ts"
import { openNews } from "./news.ts"
import { persistently } from "./persist.ts"
import { finish, handOver, setAside } from "./release.ts"
import { resumeHeld } from "./resume-held.ts"

export async function holdSession(parts: HoldParts): Promise<void> {
  const heldSession = await resumeHeld(parts, persistently(parts.clock, parts.lost))
  if (!heldSession) return
  const stop = (): void => heldSession.shipper.close()
  parts.lost.addEventListener("abort", stop)
  if (parts.lost.aborted) stop()
  try {
    await attendSession(heldSession)
  } finally {
    parts.lost.removeEventListener("abort", stop)
    await heldSession.opened.close("handing over")
    heldSession.shipper.close()
    rmSync(heldSession.local.path, { force: true })
  }
}

async function attendSession(heldSession: HeldSession): Promise<void> {
  const { store, lease, session, clock, activity, followed, patience, lost, draining } = heldSession
  const news = openNews(clock)
  const moments = openMoments(store.lines, lease, clock)
  const stopWatching = heldSession.notices((notice) => {
    if (notice?.kind === "watched") moments.watched()
    else news.announce("woken")
  })
  for (const signal of [lost, draining]) signal.addEventListener("abort", () => news.announce("event"))
  const busy = openBusy(session, () => news.announce("event"))
  const following = (async () => {
    for await (const event of session.events("now")) {
      if (event.type === "entry") {
        followed.onEntry(event.entry)
        moments.entry()
      } else moments.add(event)
      if (event.type === "entry" && event.entry.kind === "turn_start") busy.check()
      news.announce("event")
    }
    news.announce("event")
  })()
  const attending = openAttending(heldSession, busy)
  let isLate: boolean | undefined
  let stopPolling = (): void => undefined
  const poll = (): void => {
    news.announce("woken")
    stopPolling = clock.after(fallbackPollMs, poll)
  }
  try {
    poll()
    for (;;) {
      if (lost.aborted) return
      if (news.isWoken() && !(await attending.check())) return
      const questions = await session.ask({ type: "questions" })
      await attending.answer(questions)
      await attending.tellDelivered()
      if (draining.aborted) {
        if (isLate === undefined) clock.after(patience.drainMs, () => (isLate = true))
        isLate ??= false
        if (activity.isHarmless() || isLate) return await handOver(heldSession)
      }
      await attending.report()
      const quietMs = news.quietMs()
      const isQuiet = quietMs >= patience.backgroundMs && activity.isStill()
      if (!busy.is() && questions.length === 0 && !(await goesOn(heldSession, isQuiet)) && !busy.is()) {
        // A short turn may have begun and ended since the last look.
        await attending.tellDelivered()
        return await finish(heldSession)
      }
      if (questions.length > 0 && quietMs >= patience.waitingMs && activity.isOnlyWaiting(questions)) {
        const still = await session.ask({ type: "questions" })
        if (isSame(still, questions)) {
          await attending.tellDelivered()
          return await setAside(heldSession, still)
        }
      }
      await news.next(questions.length > 0 || draining.aborted ? patience.waitingMs : idleMs)
    }
  } finally {
    stopWatching()
    stopPolling()
    moments.close()
    // It ends when the session is closed, which the caller does.
    void following
  }
}

/** Fallback poll: bounds how late a lost notification is noticed. */
const idleMs = 1_000

/** Nobody may have told of what came from outside: a connection can be dead without a word. */
const fallbackPollMs = 30_000

const isSame = (a: readonly Question[], b: readonly Question[]): boolean =>
  a.length === b.length && a.every(({ id, digest }, nth) => b[nth]?.id === id && b[nth].digest === digest)

/** Whether something goes on although no turn does. `isQuiet`: what runs beside it has had its time. */
async function goesOn({ store, lease, session, opened, persist }: HeldSession, isQuiet: boolean): Promise<boolean> {
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
