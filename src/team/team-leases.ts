/** The claims of a team: kept alive while their process lives, and taken back from one that is gone. */

import type { Member, TeamStore } from "#agent/words/team.ts"
import { isRunning, type Owner } from "#ground/transcript/lock.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { type Leases, openLeases } from "./leases.ts"

/** Between signs of life of members that hold tasks. */
const everyMs = 15_000

export function openTeamLeases(
  store: TeamStore,
  parts: {
    readonly clock: Clock
    readonly me: Owner & { readonly host: string }
    /** `own`: the lead looks after those that have gone silent. */
    readonly cares?: "own" | "all"
    readonly onFailure: (error: unknown) => void
  },
): Leases {
  const { me } = parts
  const isGone = (member: Member | undefined): boolean =>
    member === undefined || member.state === "gone" || (member.host === me.host && !isRunning(member, me))
  return openLeases({
    board: store.board,
    clock: parts.clock,
    everyMs,
    ...optional("cares", parts.cares),
    isGone: async (owner) => isGone((await store.roster.members()).find(({ name }) => name === owner)),
    noteAbout: ({ owner }) => `${owner} stopped without finishing it.`,
    onBack: () => {},
    onFailure: parts.onFailure,
  })
}
