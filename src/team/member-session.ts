/** A member whose lead runs in another process, or nowhere now: its session, tied to the team's store and to what connects it with its lead. */

import { hostname } from "node:os"
import type { Kit } from "#agent/words/kit.ts"
import type { NewMember, TeamStore } from "#agent/words/team.ts"
import { ownerOf } from "#ground/transcript/lock.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import {
  boolean,
  choice,
  decoded,
  type FieldsOf,
  number,
  object,
  omittable,
  type Readable,
  string,
} from "#lib/shape.ts"
import { type MemberOpening, memberOptions, readMemberOpening } from "#session/adapters/member-adapter.ts"
import { openSession } from "#session/open.ts"
import type { SeparateSession } from "#session/opening/child.ts"
import { type Inherited, readInherited } from "#session/opening/inherited.ts"
import type { LiveHalf } from "#session/opening/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Upward } from "#session/opening/upward.ts"
import type { HeldSession } from "#session/port/session.ts"
import type { MemberEnd } from "./hosts/messages.ts"
import { type MemberParts, openMember } from "./member.ts"
import { separateParent } from "./parent.ts"
import { leadName } from "./place.ts"
import { planAsking } from "./plan-question.ts"
import { hookTasks } from "./task-hooks.ts"
import { taskTools } from "./task-tools.ts"
import { openTeamLeases } from "./team-leases.ts"

/** What the lead tells whoever opens a member's session. Plain JSON. */
export interface SeatOpening {
  readonly team: string
  readonly name: string
  readonly mailTo: number
  readonly plans: boolean
  readonly wasLeft?: "working" | "idle"
  readonly costUsd: number
  /** Where the lead waits for it, and what both prove themselves with; absent in a fleet. */
  readonly link?: { readonly path: string; readonly secret: string }
  readonly inherited: Inherited
  readonly session: MemberOpening
}

const seatShape: Readable<SeatOpening> = object({
  team: string(),
  name: string(),
  mailTo: number(),
  plans: boolean(),
  wasLeft: omittable(choice(["working", "idle"])),
  costUsd: number(),
  link: omittable(object({ path: string(), secret: string() })),
  inherited: decoded("what is inherited", readInherited),
  session: decoded("the opening of a session", (value) => (isObject(value) ? readMemberOpening(value) : undefined)),
} satisfies FieldsOf<SeatOpening>)

export function readSeatOpening(value: JsonObject): SeatOpening | undefined {
  // What an earlier version wrote to the database of a fleet is named otherwise.
  const { handed, secret: _secret, ...rest } = value
  const read = seatShape.read({ ...(handed !== undefined && { inherited: handed }), ...rest }, "")
  return read.ok ? read.value : undefined
}

export interface SeparateMember {
  readonly session: HeldSession
  /** Resolves when it has left the team by itself. */
  readonly left: Promise<void>
  /** Whether nothing is left for it to do, or it has left. */
  readonly isResting: () => boolean
  /** The store is closed with it. */
  readonly close: (end: MemberEnd, how?: "handing over") => Promise<void>
}

export interface SeparateMemberParts {
  readonly seat: SeatOpening
  readonly live: LiveHalf
  readonly store: TeamStore
  /** The folder for its plan. */
  readonly plans: string
  /** Where others find what it did, if that is known here. */
  readonly log: string | undefined
  readonly up: Upward
  /** What its lead published last; the same value as long as nothing changed. */
  readonly inherited: () => Inherited
  /** Its user is asked through its lead as well, not only where its own session is shown. */
  readonly asksLead: boolean
  /** Its worktree is a clone of its own, which others do not have. */
  readonly isClone?: boolean
  readonly kits?: readonly Kit[]
  /** What is different about its session. */
  readonly shape?: (options: SessionOptions) => SessionOptions
  /** The user sits in front of it. */
  readonly isWatched: boolean
  readonly onFailure: (error: unknown) => void
}

export async function openSeparateMember(parts: SeparateMemberParts): Promise<Result<SeparateMember, string>> {
  const { seat: opening, live, store, inherited, up, onFailure } = parts
  const { team, name, session: member } = opening
  const { agentId, definition, lead } = member
  const { clock } = live
  const me = { ...ownerOf(live.place.pid), host: hostname() }
  const ready = later<Parameters<SeparateSession["ready"]>[0]>("What the session offers")
  const hook: ReturnType<typeof ready.get>["hook"] = (event) => ready.get().hook(event)
  let end: MemberEnd | undefined
  const leases = openTeamLeases(store, { clock, me, cares: "own", onFailure })
  const seat = openMember({
    ...opening,
    id: agentId,
    lead: leadName,
    store,
    leases,
    clock,
    wasLeft: opening.wasLeft,
    askAboutPlan: planAsking({
      ports: {
        mode: () => inherited().mode,
        ask:
          member.opening.manner.asks === "nobody"
            ? undefined
            : (ask, signal, agent) => ready.get().questions.ask(ask, signal, agent),
      },
      plans: parts.plans,
      lead: leadName,
      mail: store.mail,
      agent: { id: agentId, type: definition.agentType, name },
    }),
    idleHook: () => hook("TeammateIdle"),
    where: () => whereOf(member, parts),
    taskTools(claims) {
      const tasks = hookTasks({ board: store.board, claims }, { hook, who: name, team })
      return taskTools(tasks.board, tasks.claims)
    },
    isWatched: parts.isWatched,
    isClosing: () => end === "closes",
    onFailure,
  })
  const { folder, ...entry } = entryOf(member, name)
  const joined = await store.roster.join({ ...entry, ...optional("folder", parts.isClone ? undefined : folder), ...me })
  if (!joined.ok) {
    await store.close()
    return failed(`Somebody else is ${name} in the team ${team} now.`)
  }
  const own = memberOptions(member, live, {
    ports: separateParent({ ...lead, inherited, up }),
    inherited: inherited(),
    seat: { ...seat, kits: [...seat.kits, ...(parts.kits ?? [])] },
    separate: {
      ready: ready.settle,
      asked(question, closed) {
        if (!parts.asksLead) return
        // Whoever answers first decides: an answer to a question that is closed is not used.
        void up
          .ask(question.ask, closed, question.agent)
          .then((answer) => !closed.aborted && ready.get().questions.answer(question.id, answer, question.digest))
      },
    },
  })
  const opened = await openSession(parts.shape?.(own) ?? own)
  if (!opened.ok) {
    leases.close()
    await store.close()
    return failed(opened.failure.message)
  }
  const session = opened.value
  let hasLeft = false
  void seat.over.then(() => (hasLeft = true))
  return ok({
    session,
    left: seat.over,
    isResting: () => hasLeft || seat.isIdle(),
    async close(ends, how) {
      end ??= ends
      // A member that is closed goes on where it was, and whatever it asks stays asked.
      if (end === "leaves") await session.submit({ type: "interrupt" })
      await session.close(how)
      leases.close()
      await store.close()
    },
  })
}

const folderOf = ({ worktree, opening }: MemberOpening): string => worktree?.path ?? opening.place.cwd

const whereOf = (member: MemberOpening, { log, isClone }: SeparateMemberParts): ReturnType<MemberParts["where"]> => ({
  log,
  folder: isClone ? "a clone of its own" : folderOf(member),
  ...optional("branch", member.worktree?.branch),
})

const entryOf = (member: MemberOpening, name: string): Omit<NewMember, "pid" | "start" | "host"> => ({
  name,
  sessionId: member.agentId,
  agentType: member.definition.agentType,
  ...optional("color", member.definition.color),
  folder: folderOf(member),
  ...optional("branch", member.worktree?.branch),
})

export const logOf = ({ agentId, lead }: MemberOpening): string =>
  `${lead.sessionFolder}/subagents/agent-${agentId}.jsonl`
