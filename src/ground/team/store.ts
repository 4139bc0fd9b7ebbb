/** A team's tasks, mail and members in one file that several processes of one machine share. */

import type { TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { openBoard } from "./board.ts"
import { openTeamDatabase, type TeamAbout } from "./database.ts"
import { notifyLead, openMail } from "./mail.ts"
import { watchOutside } from "./outside.ts"
import { openRoster } from "./roster.ts"
import { openTaskRows } from "./task-rows.ts"

export async function openTeamStore(parts: {
  /** The file. It is made if it does not exist, for the team that `about` describes. */
  readonly path: string
  readonly about: TeamAbout
  readonly clock: Clock
}): Promise<TeamStore> {
  const { path, clock } = parts
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const held = await openTeamDatabase(path, parts.about, changed)
  const rows = openTaskRows(held.database)
  const { board, giveBackAll } = openBoard(held, rows, (notice) => notifyLead(held.database, notice, clock.now()))
  let outside: { close: () => void } | undefined

  return {
    board,
    mail: openMail(held, clock),
    roster: openRoster(held, rows, giveBackAll, clock),
    watch(listener) {
      outside ??= watchOutside({ path, database: held.database }, changed)
      listeners.add(listener)
      // Whoever waits for the next change comes back at once, so the looking goes on until the end.
      return () => void listeners.delete(listener)
    },
    async close() {
      outside?.close()
      listeners.clear()
      held.database.close()
    },
  }
}
