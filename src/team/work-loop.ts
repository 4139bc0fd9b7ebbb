/** How a member gets its next work: one look at a time, whenever something has changed or a turn has ended. */

import type { Attachment } from "#agent/words/kit.ts"
import type { TeamStore } from "#agent/words/team.ts"
import type { TeamHook } from "#session/opening/team-hooks.ts"
import type { Claims } from "./claims.ts"
import type { Leases } from "./leases.ts"
import { interruptedBefore, sentBack, stillOpen, taskGiven } from "./member-words.ts"
import type { MemberTurn } from "./member-turn.ts"
import type { MailReader } from "./mail-reader.ts"
import { nextFor } from "./next-work.ts"
import { firstLine } from "./first-line.ts"

export interface WorkLoopParts {
  readonly team: string
  readonly name: string
  readonly lead: string
  readonly store: TeamStore
  readonly leases: Pick<Leases, "keepAlive">
  readonly claims: Claims
  readonly turn: MemberTurn
  /** Undefined for a new one. */
  readonly wasLeft: "working" | "idle" | undefined
  readonly box: () => MailReader
  readonly idleHook: () => TeamHook | undefined
  readonly isPlanning: () => boolean
  /** Whether it waits for what the user says. */
  readonly isHeld: () => boolean
  /** Whether it takes no more work. */
  readonly isLeaving: () => boolean
  readonly onLeave: () => void
  readonly wake: () => void
  /** Where others find what it did. */
  readonly where: () => string
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

export interface WorkLoop {
  readonly stir: () => void
  /** Takes a task for the first request of a new member, so that none is spent on saying that it is ready. */
  readonly begin: () => Promise<void>
  /** Whether nothing is left to do: the store agrees, or it waits for an answer. */
  readonly isIdle: () => boolean
  /** What it was given and is not in its log yet. */
  readonly handed: () => readonly Attachment[]
  readonly arrived: (text: string) => void
}

/** A hook that is never satisfied must not keep a member working forever. */
const mostSentBack = 10

export function openWorkLoop(parts: WorkLoopParts): WorkLoop {
  const { team, name, store, claims, turn, box, signal } = parts
  let isIdle = false
  let isPulling = false
  let isStirred = false
  let handed: readonly Attachment[] = []
  let remindedOf: string | undefined
  let timesSentBack = 0
  let restedAfter: string | undefined
  let hasBegun = parts.wasLeft !== undefined

  function setHandedAttachment(attachment: Attachment): void {
    remindedOf = undefined
    handed = [attachment]
  }

  /** Its turn is over, and the task is not. */
  async function goOnWith(id: string): Promise<void> {
    const claim = (await store.board.claims()).find((each) => each.id === id && each.owner === name)
    const task = await store.board.get(id)
    if (!claim || !task) return void (isStirred = true)
    if (turn.isOpen()) return
    parts.leases.keepAlive(claim.lease)
    if (turn.brokenBy()) return setHandedAttachment(interruptedBefore(id))
    if (!turn.knowsTask(id)) return setHandedAttachment(taskGiven({ task, lease: claim.lease }))
    // It asked somebody, and goes on when they answer.
    if (turn.hasSent()) return void (isIdle = true)
    if (remindedOf !== id) {
      setHandedAttachment(stillOpen(id))
      remindedOf = id
      return
    }
    await claims.giveBack(id, `${name} stopped without finishing it. ${parts.where()}`.trim())
    isStirred = true
  }

  async function rest(): Promise<void> {
    if (turn.brokenBy()) return setHandedAttachment(interruptedBefore(undefined))
    // Once for every turn, however often something changes meanwhile.
    const hook = restedAfter === turn.last() || timesSentBack >= mostSentBack ? undefined : parts.idleHook()
    restedAfter = turn.last()
    const why = await hook?.({ teammate_name: name, team_name: team }, signal)
    isIdle = why === undefined && !isStirred
    if (why === undefined || turn.isOpen()) return
    timesSentBack++
    handed = [sentBack(why)]
  }

  async function pull(): Promise<void> {
    // A new one hears first what it was started for.
    if (parts.wasLeft === undefined && !turn.isPrompted()) return
    await report(parts)
    if (parts.isLeaving()) return parts.onLeave()
    if (parts.isHeld()) return void (await box().fetch())
    // What it was given has not reached it yet, or has just now.
    if (handed.length > 0 || turn.isOpen()) return
    // No task is taken before the plan is approved.
    if (parts.isPlanning()) return void (isIdle = await isWithoutMail(parts))
    const next = await nextFor(name, box().cursor(), store)
    if (next.kind === "idle") return rest()
    if (next.kind === "open") return goOnWith(next.id)
    timesSentBack = 0
    if (next.kind === "mail") return void (await box().fetch())
    parts.leases.keepAlive(next.claim.lease)
    setHandedAttachment(taskGiven(next.claim))
  }

  async function pullAll(): Promise<void> {
    isPulling = true
    try {
      while (isStirred && !signal.aborted) {
        isStirred = false
        if (turn.isOpen()) await box().fetch()
        else await pull()
        if (!turn.isOpen() && (handed.length > 0 || box().unread().length > 0)) parts.wake()
      }
    } catch (error) {
      if (!signal.aborted) parts.onFailure(error)
    } finally {
      isPulling = false
    }
  }

  return {
    async begin() {
      if (hasBegun) return
      hasBegun = true
      const task = await firstTask(parts)
      if (task) setHandedAttachment(task)
    },
    stir() {
      isIdle = false
      isStirred = true
      if (!isPulling) void pullAll()
    },
    isIdle: () => isIdle && !turn.isOpen(),
    handed: () => handed,
    arrived: (text) => void (handed = handed.filter((each) => each.text !== text)),
  }
}

/** While it plans; where it has no mail, the team knows that it is idle. */
async function isWithoutMail({ box, store, name }: WorkLoopParts): Promise<boolean> {
  if ((await box().fetch()).length > 0) return false
  // Refused while there are tasks for it, which is no reason to take one.
  await store.roster.idle(name, box().cursor())
  return true
}

async function firstTask({
  isPlanning,
  isLeaving,
  store,
  name,
  leases,
}: WorkLoopParts): Promise<Attachment | undefined> {
  if (isPlanning() || isLeaving()) return undefined
  const claim = await store.board.claim(name, { onlyIfFree: true })
  if (!claim.ok) return undefined
  leases.keepAlive(claim.value.lease)
  return taskGiven(claim.value)
}

/** Under a key of the turn, so that it is there once, whatever crashes. */
async function report({ turn, store, name, lead }: WorkLoopParts): Promise<void> {
  const said = turn.unreported()
  const text = said?.text.trim() ?? ""
  const summary = `Report: ${firstLine(text)}`
  const type = said?.isNews ? "message" : "report"
  if (said && text !== "")
    await store.mail.send({ from: name, to: lead, type, text, summary, key: `report ${said.turnId}` })
  turn.reported()
}
