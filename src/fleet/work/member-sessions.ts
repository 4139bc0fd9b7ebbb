/** Members of a team as sessions of the fleet: any worker takes them. */

import { ok } from "#lib/result.ts"
import type { FleetSession, Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { memberSessionId } from "#fleet/database/teams.ts"
import type { MemberSessions } from "#session/opening/apart.ts"
import type { Persist } from "./persist.ts"

export function memberSessions(parts: {
  readonly store: FleetStore
  readonly lease: Lease
  /** Of the lead. */
  readonly record: FleetSession
  readonly persist: Persist
}): MemberSessions {
  const { store, lease, record, persist } = parts
  const { createdBy } = record
  const idOf = (agentId: string): string => memberSessionId(record.id, agentId)
  return {
    async start({ id: agentId, team, name, prompt, cwd, opening }) {
      const id = idOf(agentId)
      const { mode, model, labels } = record
      const session = { id, title: `${name}, team ${team}`, query: prompt, mode, model, labels, lead: record.id }
      await persist(async () => {
        if (await store.sessions.get(id)) return
        await store.sessions.create({ ...session, opening: { workspace: { path: cwd }, member: opening } }, createdBy)
      })
      return ok(undefined)
    },
    stop: async (agentId) => void (await persist(() => store.sessions.cancel(idOf(agentId), createdBy))),
    async lost(agentId) {
      const session = await persist(() => store.sessions.get(idOf(agentId)))
      // Members of this process are no sessions.
      if (session?.stage === "cancelled") return "Its session was cancelled."
      return session?.stage === "failed" ? `Its session failed. ${session.result?.text ?? ""}`.trim() : undefined
    },
    handDown: (team, handed) => persist(() => store.teams.handDown(lease, team, handed)),
  }
}
