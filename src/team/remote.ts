/** Members that are sessions of their own, on whatever machine: their lead starts them and hands down what holds; they go on whether it runs or not. */

import type { ChildWorktree } from "#agent/words/child.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LeadApart, MemberSessions } from "#session/opening/apart.ts"
import type { TeamPorts } from "#session/opening/team.ts"

export interface Remote {
  readonly start: (ask: RemoteAsk) => Promise<Result<ChildWorktree | undefined, string>>
  /** Something changed here or in the store. */
  readonly look: () => void
  /** Hands down what is in force now, if that changed. */
  readonly handDown: () => void
  /** Ends all of them for good. */
  readonly stopAll: () => Promise<void>
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
  readonly ports: Pick<TeamPorts, "cwd">
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

  handDown()
  return {
    handDown,
    async start({ id, name, definition, prompt, model, isolation, mailTo, plans, signal }) {
      const ask = { agentId: id, callId: "", definition, model, isolation, signal, log: "new" } as const
      const place = await apart.placeFor(ask)
      if (!place.ok) return place
      const { worktree } = place.value
      const handed = handedBy(apart)
      const session = apart.openingFor(ask, worktree)
      const opening: JsonObject = { team, name, mailTo, plans, costUsd: 0, secret: "", handed, session }
      const cwd = worktree?.path ?? parts.ports.cwd
      const started = await sessions.start({ id, team, name, prompt, cwd, opening })
      if (started.ok) return ok(worktree)
      await place.value.finish()
      return failed(started.failure)
    },
    look() {
      isStirred = true
      if (!isLooking) lookAll().catch(onFailure)
    },
    async stopAll() {
      for (const { sessionId } of await members()) await sessions.stop(sessionId)
    },
  }
}

function handedBy(apart: Pick<LeadApart, "handed">): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(apart.handed()))
  return isObject(value) ? value : {}
}
