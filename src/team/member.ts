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
import type { TeamHook } from "#session/opening/team-hooks.ts"
import { outcomeOfCall } from "./call-outcome.ts"
import { type Claims, openClaims } from "./claims.ts"
import { type EvidenceFollower, followEvidence } from "./evidence.ts"
import type { Leases } from "./leases.ts"
import { openMemberTurn } from "./member-turn.ts"
import { whereItIs } from "./member-words.ts"
import { asAttachments, openMailReader } from "./mail-reader.ts"
import { openWorkLoop } from "./work-loop.ts"
import { isPlanApproved } from "./plan-question.ts"
import { sendMessageTool, type SendPorts } from "./send-message.ts"
import { openProgressReporter } from "./progress-reporter.ts"

export interface MemberParts {
  readonly team: string
  readonly name: string
  /** Of its session. */
  readonly id: string
  readonly lead: string
  readonly store: TeamStore
  readonly leases: Pick<Leases, "keepAlive" | "drop">
  readonly clock: Clock
  /** The tools of the board, under its name. */
  readonly taskTools: (claims: Claims) => readonly AnyTool[]
  readonly idleHook: () => TeamHook | undefined
  /** Known in full once it has been started. */
  readonly where: () => { readonly log: string | undefined; readonly branch?: string; readonly folder?: string }
  /** The last message of whoever had its name before. */
  readonly mailTo: number
  readonly plans: boolean
  /** Puts its plan to the user, if there is one to ask. */
  readonly askAboutPlan: SendPorts["instead"]
  /** How it was left, if it continues with its log: it has no prompt to begin with. */
  readonly wasLeft: "working" | "idle" | undefined
  /** What it cost before. */
  readonly costUsd: number
  /** The user sits in front of it: whoever interrupts it there has something to say, and does not end it. */
  readonly isWatched?: boolean
  /** The team itself is closed, and goes on when the lead is resumed. */
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

export function openMember(parts: MemberParts): MemberSeat {
  const { team, name, lead, store, leases, onFailure } = parts
  const over = deferred<void>()
  const closed = new AbortController()
  const evidence = followEvidence()
  const claims = withEvidence(openClaims({ board: store.board, leases, name }), store.board, evidence)
  const progress = openProgressReporter({ ...parts, roster: store.roster })
  const turn = openMemberTurn()
  const openInbox = (cursor: number) => openMailReader({ name, mail: store.mail, cursor, onFailure })
  const where = (): string => whereItIs({ branch: undefined, folder: undefined, ...parts.where() })
  let box = openInbox(parts.mailTo)
  let isPlanning = parts.plans
  /** Entries happen now, rather than being read from the log. */
  let isLive = false
  let isLeaving = false
  /** It was interrupted, and waits for what is said next. */
  let isHeld = false
  let failure: string | undefined
  let wake = (): void => {}
  let unwatch = (): void => {}

  const send = sendMessageTool({
    name,
    mail: store.mail,
    objection: (letter) => objectionTo(letter, lead, isPlanning),
    instead: parts.askAboutPlan,
    onSent(letter) {
      turn.sent()
      if (letter.type === "shutdown_response" && letter.approve) isLeaving = true
    },
  })
  const workLoop = openWorkLoop({
    ...parts,
    claims,
    turn,
    where,
    box: () => box,
    isPlanning: () => isPlanning,
    isHeld: () => isHeld,
    isLeaving: () => isLeaving || failure !== undefined,
    onLeave: () => over.resolve(),
    wake: () => wake(),
    signal: closed.signal,
  })
  const news = (): readonly Attachment[] => [...asAttachments(box.unread()), ...workLoop.handed()]

  function onEntry(entry: Entry): void {
    if (entry.kind === "team" && entry.team === team) {
      box = openInbox(entry.mailTo)
      isPlanning = entry.plans === true
    }
    box.onEntry(entry)
    turn.onEntry(entry)
    evidence.onEntry(entry)

    if (approvesPlan(entry)) isPlanning = false
    if (entry.kind === "attachment") workLoop.arrived(entry.text)
    if (!isLive) return
    progress.onEntry(entry)
    if (entry.kind === "turn_start") isHeld = false
    if (entry.kind === "turn_start") store.roster.working(name).catch(onFailure)
    if (entry.kind !== "turn_end") return
    isHeld = parts.isWatched === true && entry.reason === "aborted"
    if (entry.reason !== "completed" && !isHeld) failure = failureWords(entry)
    workLoop.stir()
  }

  /** It has ended: neither its tasks nor its mail wait for it. */
  async function leave(): Promise<void> {
    if (parts.isClosing()) return
    const ownClaims = (await store.board.claims()).filter(({ owner }) => owner === name)
    const why = failure ?? (isLeaving ? "" : stoppedWords)
    await leaveTeam(parts, { why, where: where(), after: turn.last() ?? "" })
    for (const { lease } of ownClaims) leases.drop(lease)
  }

  const kit: Kit = {
    name: "member",
    tools: [send, ...parts.taskTools(claims)],
    middleware(call, next) {
      progress.doing(call.tool.title(call.parsed))
      return next(call)
    },
    onEntry,
    async attachments() {
      await workLoop.begin()
      await box.fetch()
      return news()
    },
    rest: news,
    stirs(how) {
      wake = how
      isLive = true
      unwatch = store.watch(workLoop.stir)
      // What it had to report before it was idle, it has reported.
      if (parts.wasLeft === "idle") turn.reported()
      if (parts.wasLeft !== undefined) void holdAgain(parts).catch(onFailure).finally(workLoop.stir)
      return () => void (wake = () => {})
    },
    outcomeOf: (call) => outcomeOfCall(store, name, call),
    async close() {
      closed.abort()
      unwatch()
      await progress.close().catch(onFailure)
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
    isIdle: workLoop.isIdle,
    isPlanning: () => isPlanning,
  }
}

/** What it had is its own from the start, also if it is in the middle of a turn: others would take it for silent. */
async function holdAgain({ store, leases, name }: MemberParts): Promise<void> {
  for (const { owner, lease } of await store.board.claims()) if (owner === name) leases.keepAlive(lease)
}

/** What is known is kept with the task, before it is completed: afterwards nobody would hear of it. */
const withEvidence = (claims: Claims, board: TeamStore["board"], { text }: EvidenceFollower): Claims => ({
  ...claims,
  async finish(id, call) {
    const evidence = text()
    if (evidence !== undefined) await board.change(id, { metadata: { evidence } })
    return claims.finish(id, call)
  },
})

/** By the user, or by mail of the lead. */
function approvesPlan(entry: Entry): boolean {
  if (entry.kind === "result") return isPlanApproved(entry.data)
  return entry.kind === "attachment" && entry.data?.type === "plan_approval_response" && entry.data.approve === true
}

/** `after`: its last turn. One that was brought back may leave again. */
async function leaveTeam(
  { name, id, lead, store }: MemberParts,
  { why, where, after }: { readonly why: string; readonly where: string; readonly after: string },
): Promise<void> {
  await store.mail.send({
    from: name,
    to: lead,
    type: "message",
    text: oneLine(`${name} has left the team.`, why, where),
    summary: `${name} has left`,
    key: `left ${id} ${after}`,
  })
  const note = oneLine(`${name} did not finish it.`, why, where)
  await store.roster.leave(name, note, why.startsWith(stoppedWords) ? "stopped" : undefined)
}

const stoppedWords = "It was stopped."

const oneLine = (...sentences: readonly string[]): string => sentences.filter(Boolean).join(" ")

function objectionTo({ type, to }: Letter, lead: string, isPlanning: boolean): string | undefined {
  if (type === "shutdown_request" || type === "plan_approval_response") return `Only ${lead} sends a ${type}.`
  if (type === "plan_approval_request" && (!isPlanning || to !== lead))
    return isPlanning ? `Send your plan to ${lead}.` : "You need no approval: go on."
  return undefined
}

function failureWords({ reason, message = "" }: End): string {
  return oneLine(reason === "aborted" ? stoppedWords : `Its turn ended early (${reason}).`, message)
}
