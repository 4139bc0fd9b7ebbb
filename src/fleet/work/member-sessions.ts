/** Members of a team as sessions of the fleet: any worker takes them. */

import { optional } from "#lib/optional.ts"
import { objectIn } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import type { FleetSession, Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { memberSessionId } from "#fleet/database/teams.ts"
import type { MemberClones, MemberSessions } from "#session/opening/member-port.ts"
import type { Persist } from "./persist.ts"
import { sharedBudget } from "./shared-budget.ts"
import type { TeamTrees } from "./team-trees.ts"

export function memberSessions(parts: {
  readonly store: FleetStore
  readonly lease: Lease
  /** Of the lead. */
  readonly record: FleetSession
  readonly persist: Persist
  /** Of a lead that works in a clone. */
  readonly trees: TeamTrees | undefined
}): MemberSessions {
  const { store, lease, record, persist, trees } = parts
  const { createdBy } = record
  const idOf = (agentId: string): string => memberSessionId(record.id, agentId)
  return {
    async start({ id: agentId, team, name, prompt, cwd, branch, opening }) {
      const id = idOf(agentId)
      const { mode, model, labels } = record
      const session = { id, title: `${name}, team ${team}`, query: prompt, mode, model, labels, lead: record.id }
      const workspace = branch === undefined ? { path: cwd } : record.opening.workspace
      if (branch !== undefined) {
        await trees?.keep()
        const behind = (await persist(() => store.trees.get(record.id)))?.behind
        if (behind !== undefined) return failed(`The newest files of this session are not kept: ${behind}.`)
      }
      await persist(async () => {
        if (await store.sessions.get(id)) return
        const { confined } = record.opening
        const member = { workspace, ...optional("branch", branch), ...optional("confined", confined), member: opening }
        await store.sessions.create({ ...session, opening: member }, createdBy)
      })
      return ok(undefined)
    },
    has: async (agentId) => (await persist(() => store.sessions.get(idOf(agentId)))) !== undefined,
    ...optional("clones", trees && { branchOf, bring: trees.bring }),
    stop: async (agentId) => void (await persist(() => store.sessions.cancel(idOf(agentId), createdBy))),
    async lost(agentId) {
      const session = await persist(() => store.sessions.get(idOf(agentId)))
      // Members of this process are no sessions.
      if (session?.stage === "cancelled") return "Its session was cancelled."
      return session?.stage === "failed" ? `Its session failed. ${session.result?.text ?? ""}`.trim() : undefined
    },
    publish: (team, inherited) =>
      persist(() => store.teams.handDown(lease, team, objectIn(JSON.stringify(inherited)) ?? {})),
    share: (budget) => sharedBudget({ store, lease, lead: record.id, persist }, budget),
  }
}

/** Somebody with the same name may have left a branch, so the id is part of it. */
const branchOf: MemberClones["branchOf"] = ({ id, team, name }) =>
  `codewright/${inBranch(team)}/${inBranch(name)}-${inBranch(id)}`

/** Dots have a meaning for git, and names of teams may have them. */
const inBranch = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]+/g, "-")
