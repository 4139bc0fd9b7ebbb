/**
 * A member: a session that goes on after its turn. It reads its mail at every step, takes a task when it has nothing to do,
 * reports at the end of every turn, and is idle only when the store agrees that nothing is owed.
 */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Letter, TeamStore } from "#agent/words/team.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import type { TeamHook } from "#session/opening/team.ts"
import { openHolding } from "./holding.ts"
import type { Leases } from "./leases.ts"
import { interruptedBefore, newsName, sentBack, stillOpen, taskGiven, taskName, whereItIs } from "./member-words.ts"
import { asAttachments, openPostbox } from "./postbox.ts"
import { nextFor } from "./pull.ts"
import { firstLine, sendMessageTool } from "./send-message.ts"
import { openTelling } from "./telling.ts"

export interface MemberParts {
  readonly team: string
  readonly name: string
  /** Of its session. */
  readonly id: string
  readonly lead: string
  readonly store: TeamStore
  readonly leases: Pick<Leases, "hold" | "drop">
  readonly clock: Clock
  /** The tools of the board, under its name. */
  readonly taskTools: (holding: ReturnType<typeof openHolding>) => readonly AnyTool[]
  readonly idleHook: () => TeamHook | undefined
  /** Where it works; known once it has been started. */
  readonly where: () => { readonly log: string | undefined; readonly branch?: string; readonly folder?: string }
  /** The last message of whoever had its name before. */
  readonly mailTo: number
  readonly plans: boolean
  /** How it was left, if it continues with its log: it has no prompt to begin with. */
  readonly wasLeft: "working" | "idle" | undefined
  /** What it cost before. */
  readonly costUsd: number
  /** The team itself is closed, and goes on when the lead is resumed. */
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

/** A hook that is never satisfied must not keep a member working forever. */
const mostSentBack = 10

export function openMember(parts: MemberParts): MemberSeat {
  const { team, name, lead, store, leases, onFailure } = parts
  const over = deferred<void>()
  const holding = openHolding({ board: store.board, leases, name })
  const telling = openTelling({ name, roster: store.roster, clock: parts.clock, costUsd: parts.costUsd, onFailure })
  const turn = openTurn()
  let box = openPostbox({ name, mail: store.mail, cursor: parts.mailTo, onFailure })
  let isPlanning = parts.plans
  /** Entries happen now, rather than being read from the log. */
  let isLive = false
  let isIdle = false
  let isLeaving = false
  let isPulling = false
  let isStirred = false
  let handed: readonly Attachment[] = []
  let remindedOf: string | undefined
  let timesSentBack = 0
  let failure: string | undefined
  let wake = (): void => {}
  let unwatch = (): void => {}
  const closed = new AbortController()

  const send = sendMessageTool({
    name,
    mail: store.mail,
    objection: (letter) => objectionTo(letter, lead, isPlanning),
    onSent(letter) {
      turn.sent()
      if (letter.type === "shutdown_response" && letter.approve) isLeaving = true
    },
  })

  /** Something changed, or a turn has ended. One look at a time; what comes meanwhile is looked at next. */
  function stir(): void {
    isIdle = false
    isStirred = true
    if (!isPulling) void pullAll()
  }

  async function pullAll(): Promise<void> {
    isPulling = true
    try {
      while (isStirred && !closed.signal.aborted) {
        isStirred = false
        if (turn.isOpen()) await box.fetch()
        else await pull()
      }
    } catch (error) {
      if (!closed.signal.aborted) onFailure(error)
    } finally {
      isPulling = false
    }
  }

  async function pull(): Promise<void> {
    await report()
    if (failure !== undefined || isLeaving) return over.resolve()
    if (isPlanning) return waitForApproval()
    const next = await nextFor(name, box.cursor(), store)
    if (next.kind === "mail") await box.fetch()
    if (next.kind === "task") give(taskGiven(next.claim), next.claim.lease)
    if (next.kind === "open") await goOnWith(next.id)
    if (next.kind === "idle") await rest()
    if (news().length > 0 && !turn.isOpen()) wake()
  }

  /** No task is taken before the plan is approved. */
  async function waitForApproval(): Promise<void> {
    isIdle = (await box.fetch()).length === 0
    if (!isIdle && !turn.isOpen()) wake()
  }

  function give(attachment: Attachment, lease?: number): void {
    if (lease !== undefined) leases.hold(lease)
    remindedOf = undefined
    timesSentBack = 0
    handed = [attachment]
  }

  /** Its turn is over, and the task is not. */
  async function goOnWith(id: string): Promise<void> {
    const claim = (await store.board.claims()).find((each) => each.id === id && each.owner === name)
    if (!claim) return stir()
    leases.hold(claim.lease)
    if (turn.brokeOff()) return give(interruptedBefore(id))
    if (!turn.knowsTask(id)) {
      const task = await store.board.get(id)
      return task ? give(taskGiven({ task, lease: claim.lease })) : undefined
    }
    // It asked somebody, and goes on when they answer.
    if (turn.hasSent()) return void (isIdle = true)
    if (remindedOf !== id) {
      give(stillOpen(id))
      remindedOf = id
      return
    }
    await holding.giveBack(id, `${name} stopped without finishing it. ${whereItIs(place())}`.trim())
    isStirred = true
  }

  async function rest(): Promise<void> {
    if (turn.brokeOff()) return give(interruptedBefore(undefined))
    const hook = parts.idleHook()
    const why =
      hook && timesSentBack < mostSentBack && (await hook({ teammate_name: name, team_name: team }, closed.signal))
    if (isStirred || turn.isOpen()) return
    if (typeof why === "string") {
      timesSentBack++
      handed = [sentBack(why)]
      return
    }
    isIdle = true
  }

  const place = () => ({ branch: undefined, folder: undefined, ...parts.where() })

  /** Under a key of the turn, so that it is there once, whatever crashes. */
  async function report(): Promise<void> {
    const said = turn.unreported()
    if (!said) return
    const text = said.text.trim()
    if (text !== "")
      await store.mail.send({
        from: name,
        to: lead,
        type: "message",
        text,
        summary: `Report: ${firstLine(text)}`,
        key: `report ${said.turnId}`,
      })
    turn.reported()
  }

  const news = (): readonly Attachment[] => [...asAttachments(box.unread()), ...handed]

  function take(entry: Entry): void {
    if (entry.kind === "team" && entry.team === team) {
      box = openPostbox({ name, mail: store.mail, cursor: entry.mailTo, onFailure })
      isPlanning = entry.plans === true
    }
    box.take(entry)
    turn.take(entry)
    if (entry.kind === "attachment") {
      if (entry.name === taskName || entry.name === newsName) handed = handed.filter(({ text }) => text !== entry.text)
      if (entry.data?.type === "plan_approval_response" && entry.data.approve === true) isPlanning = false
    }
    if (!isLive) return
    telling.take(entry)
    if (entry.kind === "turn_start") {
      isIdle = false
      void store.roster.working(name).catch(onFailure)
    }
    if (entry.kind !== "turn_end") return
    if (entry.reason !== "completed") failure = failureWords(entry)
    stir()
  }

  /** It has ended: its tasks and its mail must not wait for it. */
  async function leave(): Promise<void> {
    if (parts.isClosing()) return
    const about = whereItIs(place())
    const why = failure ?? (isLeaving ? undefined : "It was stopped.")
    const text = [why === undefined ? `${name} has left the team.` : `${name} has left the team. ${why}`, about].join(
      " ",
    )
    await store.mail.send({
      from: name,
      to: lead,
      type: "message",
      text,
      summary: `${name} has left`,
      key: `left ${parts.id}`,
    })
    await store.roster.leave(name, `${name} did not finish it. ${why ?? ""} ${about}`.replaceAll(/ +/g, " ").trim())
    for (const { lease, owner } of await store.board.claims()) if (owner === name) leases.drop(lease)
  }

  const kit: Kit = {
    name: "member",
    tools: [send, ...parts.taskTools(holding)],
    middleware(call, next) {
      telling.doing(call.tool.title(call.parsed))
      return next(call)
    },
    take,
    async attachments() {
      await box.fetch()
      return news()
    },
    rest: news,
    stirs(how) {
      wake = how
      isLive = true
      unwatch = store.watch(stir)
      // What it had to report before it was idle, it has reported.
      if (parts.wasLeft === "idle") turn.reported()
      if (parts.wasLeft !== undefined) stir()
      return () => void (wake = () => {})
    },
    async close() {
      closed.abort()
      unwatch()
      await telling.close().catch(onFailure)
      await leave().catch(onFailure)
    },
  }
  return {
    team,
    name,
    mailTo: parts.mailTo,
    plans: parts.plans,
    kits: [kit],
    over: over.promise,
    isIdle: () => isIdle && !turn.isOpen(),
    isPlanning: () => isPlanning,
  }
}

function objectionTo({ type, to }: Letter, lead: string, isPlanning: boolean): string | undefined {
  if (type === "shutdown_request" || type === "plan_approval_response") return `Only ${lead} sends a ${type}.`
  if (type === "plan_approval_request" && (!isPlanning || to !== lead))
    return isPlanning ? `Send your plan to ${lead}.` : "You need no approval: go on."
  return undefined
}

function failureWords({ reason, message = "" }: End): string {
  if (reason === "aborted") return `It was stopped. ${message}`.trim()
  return `Its turn ended early (${reason}). ${message}`.trim()
}

interface Said {
  readonly turnId: string
  readonly text: string
}

/** What its own log says about its turns. */
function openTurn() {
  let open: string | undefined
  let said: Said | undefined
  let text = ""
  let messageId = ""
  let hasSent = false
  let isBroken = false
  const tasks = new Set<string>()
  return {
    isOpen: () => open !== undefined,
    /** The last message of a turn that nobody has been sent. */
    unreported: () => said,
    reported: () => void (said = undefined),
    sent: () => void (hasSent = true),
    hasSent: () => hasSent,
    brokeOff: () => isBroken,
    knowsTask: (id: string) => tasks.has(id),
    take(entry: Entry): void {
      switch (entry.kind) {
        case "turn_start":
          open = entry.turnId
          text = ""
          hasSent = false
          isBroken = false
          break
        case "reply":
          if (entry.messageId !== messageId) text = ""
          ;({ messageId } = entry)
          if (entry.block.type === "text") text += entry.block.text
          break
        case "turn_end":
          open = undefined
          isBroken = entry.reason !== "completed"
          said = isBroken ? undefined : { turnId: entry.turnId, text }
          break
        case "attachment":
          if (entry.name === taskName && typeof entry.data?.taskId === "string") tasks.add(entry.data.taskId)
          break
        default:
      }
    },
  }
}
