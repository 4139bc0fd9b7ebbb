/** A team's tasks, mail and members in one file that several processes of one machine share. */

import type { TeamAbout, TeamStore } from "#agent/words/team.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { openBoard } from "./board.ts"
import { openCalls } from "./calls.ts"
import { openMail } from "./mail.ts"
import { openMoment } from "./moment.ts"
import { openRoster } from "./roster.ts"
import { restoreTasks } from "./task-rows.ts"
import { openTeamDatabase } from "./sqlite.ts"
import { watchFile } from "./watch-file.ts"

/** Between a change by another process and a look whether it was one of ours. */
const restoreMs = 1_000

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
  const teamDatabase = await openTeamDatabase(path, parts.about, changed)
  let cancel: (() => void) | undefined
  /** Once for all that others write meanwhile. */
  function restoreSoon(): void {
    cancel ??= systemClock.after(restoreMs, () => {
      cancel = undefined
      // Whatever is wrong with the file, the next use of it says so.
      teamDatabase.sql.write(restoreTasks).catch(() => {})
    })
  }
  let watching: { close: () => void } | undefined

  return {
    callRecord: openCalls(teamDatabase.sql),
    board: openBoard(teamDatabase.sql, clock),
    mail: openMail(teamDatabase.sql, clock),
    roster: openRoster(teamDatabase.sql, clock),
    moment: openMoment(teamDatabase.sql),
    watch(listener) {
      watching ??= watchFile({ path, database: teamDatabase.database }, () => {
        changed()
        restoreSoon()
      })
      listeners.add(listener)
      // Whoever waits for the next change comes back at once, so the looking goes on until the end.
      return () => void listeners.delete(listener)
    },
    async close() {
      cancel?.()
      watching?.close()
      listeners.clear()
      teamDatabase.database.close()
    },
  }
}
