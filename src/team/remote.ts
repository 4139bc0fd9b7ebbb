/** Members that are sessions of their own, on whatever machine: their lead starts them and hands down what holds; they go on whether it runs or not. */

import type { ChildWorktree } from "#agent/words/child.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LeadApart, MemberClones, MemberSessions } from "#session/opening/apart.ts"
import type { TeamPorts } from "#session/opening/team.ts"

export interface Remote {
  readonly start: (ask: RemoteAsk) => Promise<Result<RemotePlace, string>>
  /** Whether the member is a session of its own; others run in this process. */
  readonly has: MemberSessions["has"]
  /** Present where members that work apart have clones. Those that share the lead's folder are not sessions then: no other machine has it. */
  readonly clones: MemberClones | undefined
  /** Something changed here or in the store. */
  readonly look: () => void
  /** Hands down what is in force now, if that changed. */
  readonly handDown: () => void
  /** Ends all of them for good. */
  readonly stopAll: () => Promise<void>
}

/** Where it works, if not in the lead's folder. */
export interface RemotePlace {
  readonly worktree?: ChildWorktree | undefined
  /** Of its clone. */
  readonly branch?: string | undefined
}

export interface RemoteAsk {
  readonly id: string
  readonly name: string
  readonly definition: AgentDefinition
  readonly prompt: string
  readonly model: string | undefined
  readonly isolation: "worktree" | undefined
  readonly mailTo: number
  readonly plans: boolean
  readonly signal: AbortSignal
}

export interface RemoteParts {
  readonly apart: LeadApart
  readonly sessions: MemberSessions
  readonly ports: Pick<TeamPorts, "cwd" | "record">
  readonly team: string
  readonly lead: string
  readonly store: TeamStore
  readonly onFailure: (error: unknown) => void
}

export function openRemote(parts: RemoteParts): Remote {
  const { apart, sessions, team, lead, store, onFailure } = parts
  let last = ""
  let isLooking = false
  let isStirred = false

  function handDown(): void {
    const handed = handedBy(apart)
    const text = JSON.stringify(handed)
    if (text === last) return
    last = text
    sessions.handDown(team, handed).catch(onFailure)
  }

  const members = async (): Promise<readonly Member[]> =>
    (await store.roster.members()).filter(({ name, state }) => name !== lead && state !== "gone")

  /** Nobody waits for a member whose session was cancelled or cannot be opened. */
  async function lookForLost(): Promise<void> {
    for (const { name, sessionId } of await members()) {
      const why = await sessions.lost(sessionId)
      if (why === undefined) continue
      const text = `${name} has left the team. ${why}`
      const letter = { from: name, to: lead, type: "message", text, summary: `${name} has left` } as const
      await store.mail.send({ ...letter, key: `left ${sessionId}` })
      await store.roster.leave(name, `${name} did not finish it. ${why}`, "stopped")
    }
  }

  async function lookAll(): Promise<void> {
    isLooking = true
    try {
      while (isStirred) {
        isStirred = false
        await lookForLost()
      }
    } finally {
      isLooking = false
    }
  }

  const seatOf = ({ name, mailTo, plans }: RemoteAsk, session: JsonObject): JsonObject => {
    return { team, name, mailTo, plans, costUsd: 0, secret: "", handed: handedBy(apart), session }
  }

  /** The worker that opens it knows where its clone is. */
  async function startInClone(ask: RemoteAsk, clones: MemberClones): Promise<Result<RemotePlace, string>> {
    const { id, name, prompt } = ask
    const branch = clones.branchOf({ id, team, name })
    const opening = seatOf(ask, apart.openingFor(spawnAsk(ask), undefined))
    const started = await sessions.start({ id, team, name, prompt, cwd: parts.ports.cwd, branch, opening })
    return started.ok ? ok({ branch }) : started
  }

  /** Its branch stays, with all that it committed. */
  async function stop({ name, sessionId }: Member): Promise<void> {
    const brought = await sessions.clones?.bring(sessionId)
    if (brought && !brought.ok) {
      const text = `What ${name} committed last could not be brought here: ${brought.failure}.`
      parts.ports.record({ kind: "notice", level: "warning", text })
    }
    await sessions.stop(sessionId)
  }

  handDown()
  return {
    handDown,
    has: sessions.has,
    clones: sessions.clones,
    async start(ask) {
      const { clones } = sessions
      if (clones && ask.isolation === "worktree") return startInClone(ask, clones)
      const place = await apart.placeFor(spawnAsk(ask))
      if (!place.ok) return place
      const { worktree } = place.value
      const { id, name, prompt } = ask
      const opening = seatOf(ask, apart.openingFor(spawnAsk(ask), worktree))
      const cwd = worktree?.path ?? parts.ports.cwd
      const started = await sessions.start({ id, team, name, prompt, cwd, opening })
      if (started.ok) return ok({ worktree })
      await place.value.finish()
      return failed(started.failure)
    },
    look() {
      isStirred = true
      if (!isLooking) lookAll().catch(onFailure)
    },
    async stopAll() {
      for (const member of await members()) await stop(member)
    },
  }
}

const spawnAsk = ({ id, definition, model, isolation, signal }: RemoteAsk) =>
  ({ agentId: id, callId: "", definition, model, isolation, signal, log: "new" }) as const

function handedBy(apart: Pick<LeadApart, "handed">): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(apart.handed()))
  return isObject(value) ? value : {}
}
