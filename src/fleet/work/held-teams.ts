/** The teams of a session that a worker holds: in the database, which may be away for a while. */

import { join } from "node:path"
import type { TeamStore } from "#agent/words/team.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetTeams } from "#fleet/store.ts"
import type { TeamStores } from "#team/team-stores.ts"
import type { Persist } from "./persist.ts"
import { type TeamTrees, withTrees } from "./team-trees.ts"

export const heldTeams = (
  teams: FleetTeams,
  lease: Lease,
  {
    lead,
    plans,
    persist,
    trees,
  }: {
    readonly lead: string
    readonly plans: string
    readonly persist: Persist
    /** Of a session that works in a clone. */
    readonly trees: TeamTrees | undefined
  },
): TeamStores => ({
  has: (team) => persist(() => teams.has(lead, team)),
  async open(about) {
    const store = patient(await persist(() => teams.open(lease, about, lead)), persist)
    return trees ? withTrees(store, trees) : store
  },
  remove: (team) => persist(() => teams.remove(lease, team)),
  plans: (team) => join(plans, `team-${team}`),
  guarded: "elsewhere",
})

/** Done twice, everything else is as if done once. A task would be there twice: its tool says what happened. */
function patient(store: TeamStore, persist: Persist): TeamStore {
  return {
    ...store,
    board: { ...patiently(store.board, persist), create: store.board.create },
    mail: patiently(store.mail, persist),
    roster: patiently(store.roster, persist),
    moment: () => persist(store.moment),
  }
}

type StoreFunction = (...args: readonly never[]) => Promise<unknown>

const patiently = <T extends { readonly [name in keyof T]: StoreFunction }>(functions: T, persist: Persist): T =>
  Object.fromEntries(
    Object.entries<StoreFunction>(functions).map(([name, ask]): [string, StoreFunction] => [
      name,
      (...args) => persist(() => ask(...args)),
    ]),
    // The same names with functions of the same types.
  ) as T
