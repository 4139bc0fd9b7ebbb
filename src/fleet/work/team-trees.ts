/**
 * A team whose sessions work in clones of their own: what a session says or finishes is kept before others hear of it, and what they have committed is in
 * its own clone before it reads what they say.
 */

import type { Mail, Member, TeamStore } from "#agent/words/team.ts"
import { memberSessionId } from "#fleet/database/teams.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { Brought } from "#ground/workspace/source/bring.ts"
import type { Result } from "#lib/result.ts"
import type { Persist } from "./persist.ts"
import type { Workplace } from "./workplace.ts"

export interface TeamTreesParts {
  readonly store: Pick<FleetStore, "sessions">
  /** Of the session that this is. */
  readonly own: string
  /** The session that leads the team. */
  readonly lead: string
  readonly keep: Workplace["keep"]
  readonly bring: NonNullable<Workplace["bring"]>
  readonly persist: Persist
}

export interface TeamTrees {
  readonly keep: () => Promise<void>
  /** `id`: of the agent, or of the lead's session. Undefined if it has no clone of its own. */
  readonly bring: (id: string) => Promise<Result<Brought, string> | undefined>
}

export function openTeamTrees({ store, own, lead, keep, bring, persist }: TeamTreesParts): TeamTrees {
  const branches = new Map<string, string | undefined>()

  async function branchOf(session: string): Promise<string | undefined> {
    if (!branches.has(session))
      branches.set(session, (await persist(() => store.sessions.get(session)))?.opening.branch)
    return branches.get(session)
  }

  return {
    keep: () => persist(keep),
    async bring(id) {
      if (id === lead) return own === lead ? undefined : persist(() => bring(lead, "head"))
      const session = memberSessionId(lead, id)
      const branch = session === own ? undefined : await branchOf(session)
      return branch === undefined ? undefined : persist(() => bring(session, { branch }))
    },
  }
}

/** The store of the team as a session in a clone uses it. */
export function withTrees(team: TeamStore, { keep, bring }: TeamTrees): TeamStore {
  const { board, mail, roster } = team
  const afterKeeping =
    <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await keep()
      return work(...args)
    }

  /** Why what they did is not here, by name. */
  async function bringFrom(members: readonly Member[]): Promise<ReadonlyMap<string, string>> {
    const failures = new Map<string, string>()
    for (const { name, sessionId } of members) {
      const brought = await bring(sessionId)
      if (brought && !brought.ok) failures.set(name, brought.failure)
    }
    return failures
  }

  return {
    ...team,
    board: {
      ...board,
      create: afterKeeping(board.create),
      change: afterKeeping(board.change),
      complete: afterKeeping(board.complete),
      giveBack: afterKeeping(board.giveBack),
      async claim(...asked) {
        const claimed = await board.claim(...asked)
        // What was done before it may be on anybody's branch.
        if (claimed.ok) await bringFrom(await roster.members())
        return claimed
      },
    },
    mail: {
      ...mail,
      send: afterKeeping(mail.send),
      async after(reader, cursor) {
        const found = await mail.after(reader, cursor)
        if (found.length === 0) return found
        const senders = new Set(found.map(({ from }) => from))
        const failures = await bringFrom((await roster.members()).filter(({ name }) => senders.has(name)))
        // Said once, with the newest of each.
        return found.map((each, at): Mail => {
          const why = failures.get(each.from)
          const isNewest = found.findLastIndex(({ from }) => from === each.from) === at
          return why === undefined || !isNewest ? each : { ...each, note: notBrought(each.from, why) }
        })
      },
    },
    roster: { ...roster, leave: afterKeeping(roster.leave) },
  }
}

const notBrought = (name: string, why: string): string =>
  `What ${name} has committed could not be brought here: ${why}. Do not rely on its branch in this repository.`
