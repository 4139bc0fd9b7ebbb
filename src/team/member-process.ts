/** A member in a process of its own: its session, tied to the team and to its lead through what they share. */

import { hostname } from "node:os"
import type { Kit } from "#agent/words/kit.ts"
import type { Relay } from "#agent/words/relay.ts"
import type { NewMember, TeamStore } from "#agent/words/team.ts"
import { isRunning, ownerOf } from "#ground/transcript/lock.ts"
import type { Prices } from "#kits/budget/prices.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import { deferred } from "#lib/deferred.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openSession } from "#session/open.ts"
import { type MemberOpening, memberOptions, readMemberOpening } from "#session/joints/apart.ts"
import type { Handed } from "#session/opening/apart.ts"
import type { LiveHalf } from "#session/opening/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { HeldSession } from "#session/port/session.ts"
import { type FarLead, type KeptBudget, openFarLead } from "./far-lead.ts"
import { type MemberParts, openMember } from "./member.ts"
import { leadName } from "./place.ts"
import { planAsking } from "./plan-question.ts"
import { runOf } from "./run.ts"
import { hookTasks } from "./task-hooks.ts"
import { taskTools } from "./task-tools.ts"
import { openTeamLeases } from "./team-leases.ts"

/** What the lead tells the process of a member about its seat, besides how its session is opened. Plain JSON. */
export interface SeatOpening {
  readonly team: string
  readonly name: string
  readonly mailTo: number
  readonly plans: boolean
  readonly wasLeft?: "working" | "idle"
  readonly costUsd: number
  /** What this lead and its members seal their words with. */
  readonly secret: string
  readonly handed: Handed
  readonly session: MemberOpening
}

/** Written by us; anything else is refused. */
export function readSeatOpening(value: JsonObject): SeatOpening | undefined {
  const { team, name, mailTo, plans, costUsd, secret, handed, session } = value
  const fits =
    typeof team === "string" &&
    typeof name === "string" &&
    typeof mailTo === "number" &&
    typeof plans === "boolean" &&
    typeof costUsd === "number" &&
    typeof secret === "string" &&
    isObject(handed) &&
    isObject(session) &&
    readMemberOpening(session) !== undefined
  return fits ? (value as never) : undefined
}

/** How the work of the process ends: the member leaves the team, or keeps its place for the next time. */
export type MemberEnd = "leaves" | "closes"

export interface MemberProcess {
  readonly session: HeldSession
  readonly over: Promise<MemberEnd>
  /** Whether nothing is left for it to do, or it has left. */
  readonly isResting: () => boolean
  readonly close: (end: MemberEnd, how?: "handing over") => Promise<void>
}

/** How it is tied to its team and to its lead. The store is closed with it. */
export interface TiedMember {
  readonly store: TeamStore
  readonly relay: Relay
  /** The folder for its plan. */
  readonly plans: string
  /** Where others find what it did, if that is known here. */
  readonly log: string | undefined
  /** `away`: the lead need not run. */
  readonly lead: "here" | "away"
  /** Where its budget is kept, if not in the relay. */
  readonly kept?: KeptBudget | undefined
  /** Its worktree is a clone of its own, which others do not have. */
  readonly isClone?: boolean
  /** What is different about its session. */
  readonly shape?: (options: SessionOptions) => SessionOptions
}

/** Between two looks whether the lead lives. */
const leadEveryMs = 1_000

export async function openMemberProcess(parts: {
  readonly seat: SeatOpening
  readonly live: LiveHalf
  readonly prices: Prices
  readonly tied: TiedMember
  /** The user sits in front of it. */
  readonly isWatched: boolean
  readonly onFailure: (error: unknown) => void
}): Promise<Result<MemberProcess, string>> {
  const { seat: opening, live, tied, onFailure } = parts
  const { store, relay } = tied
  const { team, name, session: member } = opening
  const { agentId, definition, lead: leads } = member
  const { clock, ids } = live
  const { pid } = live.place
  const me = { ...ownerOf(pid), host: hostname() }
  const run = runOf(agentId, me)
  const far = openFarLead({
    relay,
    member: name,
    run,
    sessionId: leads.sessionId,
    transcript: leads.transcript,
    handed: opening.handed,
    prices: parts.prices,
    ids,
    kept: tied.kept,
  })
  const over = deferred<MemberEnd>()
  let end: MemberEnd | undefined
  const leases = openTeamLeases(store, { clock, me, cares: "own", onFailure })
  const seat = openMember({
    team,
    name,
    id: agentId,
    lead: leadName,
    store,
    leases,
    clock,
    mailTo: opening.mailTo,
    plans: opening.plans,
    wasLeft: opening.wasLeft,
    costUsd: opening.costUsd,
    askAboutPlan: planAsking({
      ports: {
        mode: () => far.handed().mode,
        ask: member.opening.manner.asks === "nobody" ? undefined : far.ask,
      },
      plans: tied.plans,
      lead: leadName,
      mail: store.mail,
      agent: { id: agentId, type: definition.agentType, name },
    }),
    idleHook: () => far.hook("TeammateIdle"),
    where: () => whereOf(member, tied),
    taskTools(holding) {
      const tasks = hookTasks({ board: store.board, holding }, { hook: far.hook, who: name, team })
      return taskTools(tasks.board, tasks.holding)
    },
    isWatched: parts.isWatched,
    isClosing: () => end === "closes",
    onFailure,
  })
  const { folder, ...entry } = entryOf(member, name)
  const joined = await store.roster.join({ ...entry, ...given("folder", tied.isClone ? undefined : folder), ...me })
  if (!joined.ok) {
    await store.close()
    return failed(`Somebody else is ${name} in the team ${team} now.`)
  }
  const watch = openLeadWatch({ far, isLeadThere, clock, onGone: () => over.resolve("closes") })
  const own = memberOptions(member, live, {
    ports: far.ports,
    handed: far.handed(),
    seat: tied.lead === "here" ? withKit(seat, watch.kit) : seat,
    process: far.process,
  })
  const opened = await openSession(tied.shape?.(own) ?? own)
  if (!opened.ok) {
    leases.close()
    await store.close()
    return failed(opened.failure.message)
  }
  const session = opened.value
  if (tied.lead === "here") watch.start(session)
  let hasLeft = false
  void seat.over.then(() => {
    hasLeft = true
    over.resolve("leaves")
  })
  const follow = openOrders(session, (order) => over.resolve(order))
  const look = (): void => {
    far.look()
    for (const { seq, body } of relay.orders(run, follow.last())) follow.take(seq, body)
  }
  const unwatch = store.watch(look)
  look()

  async function isLeadThere(): Promise<boolean> {
    const lead = (await store.roster.members()).find((each) => each.name === leadName)
    return lead !== undefined && isRunning(lead, me) && far.isLed()
  }

  return ok({
    session,
    over: over.promise,
    isResting: () => hasLeft || seat.isIdle(),
    async close(ends, how) {
      end ??= ends
      watch.close()
      unwatch()
      // A member that is closed goes on where it was, and whatever it asks stays asked.
      if (end === "leaves") await session.submit({ type: "interrupt" })
      await session.close(how)
      leases.close()
      relay.spending.release(run)
      await store.close()
    },
  })
}

const folderOf = ({ worktree, opening }: MemberOpening): string => worktree?.path ?? opening.place.cwd

const whereOf = (member: MemberOpening, { log, isClone }: TiedMember): ReturnType<MemberParts["where"]> => ({
  log,
  folder: isClone ? "a clone of its own" : folderOf(member),
  ...given("branch", member.worktree?.branch),
})

const entryOf = (member: MemberOpening, name: string): Omit<NewMember, "pid" | "start" | "host"> => ({
  name,
  sessionId: member.agentId,
  agentType: member.definition.agentType,
  ...given("color", member.definition.color),
  folder: folderOf(member),
  ...given("branch", member.worktree?.branch),
})

const withKit = (seat: MemberSeat, kit: Kit): MemberSeat => ({ ...seat, kits: [...seat.kits, kit] })

export const logOf = ({ agentId, lead }: MemberOpening): string =>
  `${lead.sessionFolder}/subagents/agent-${agentId}.jsonl`

/** A member whose lead is gone finishes its step and ends; it does not wait for an answer that nobody can give. */
function openLeadWatch(parts: {
  readonly far: Pick<FarLead, "isAsking">
  readonly isLeadThere: () => Promise<boolean>
  readonly clock: LiveHalf["clock"]
  readonly onGone: () => void
}): { readonly kit: Kit; readonly start: (session: HeldSession) => void; readonly close: () => void } {
  const { far, clock, onGone } = parts
  let misses = 0
  let cancel = (): void => {}
  let isClosed = false
  const isGone = (): boolean => misses >= 2
  // A file that cannot be read for a moment says nothing about the lead.
  const isThere = (): Promise<boolean> => parts.isLeadThere().catch(() => true)

  async function look(session: HeldSession): Promise<void> {
    misses = (await isThere()) ? 0 : misses + 1
    if (isGone() && far.isAsking()) onGone()
    if (isGone()) void session.ask({ type: "settled" }).then(() => isGone() && onGone())
    if (!isClosed) cancel = clock.after(leadEveryMs, () => void look(session))
  }
  return {
    kit: {
      name: "lead watch",
      async attachments() {
        if (isGone() || !(await isThere())) onGone()
        return []
      },
    },
    start: (session) => void look(session),
    close() {
      isClosed = true
      cancel()
    },
  }
}

/** What the lead's process wants: something said by the user there, or the end. */
function openOrders(
  session: HeldSession,
  onEnd: (end: MemberEnd) => void,
): { readonly last: () => number; readonly take: (seq: number, order: JsonObject) => void } {
  let last = 0
  return {
    last: () => last,
    take(seq, { kind, id, content, when, commandId }) {
      last = seq
      if (kind === "stop") onEnd("leaves")
      if (kind === "close") onEnd("closes")
      if (kind === "stop_command") void session.submit({ type: "stop_command", commandId: String(commandId) })
      if (kind !== "say" || typeof id !== "string" || !Array.isArray(content)) return
      // Sealed by the lead's process, which had them from a face or from Task.
      void session.submit({
        type: "prompt",
        promptId: id,
        content: content as never,
        when: when === "queue" ? "queue" : "steer",
        origin: { kind: "made" },
      })
    },
  }
}
