/** A team's tasks, mail and members in one file that several processes of one machine share. */

import type { Relay } from "#agent/words/relay.ts"
import type { TeamAbout, TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { openBoard } from "./board.ts"
import { openCalls } from "./calls.ts"
import { openMail } from "./mail.ts"
import { openRelay } from "./relay.ts"
import { openRoster } from "./roster.ts"
import { openTeamDatabase } from "./sqlite.ts"
import { watchFile } from "./watch-file.ts"

export interface KeptTeam extends TeamStore {
  readonly relay: Relay
}

export async function openTeamStore(parts: {
  /** The file. It is made if it does not exist, for the team that `about` describes. */
  readonly path: string
  readonly about: TeamAbout
  readonly clock: Clock
}): Promise<KeptTeam> {
  const { path, clock } = parts
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const held = await openTeamDatabase(path, parts.about, changed)
  let watching: { close: () => void } | undefined

  return {
    cameOf: openCalls(held.sql),
    board: openBoard(held.sql, clock),
    mail: openMail(held.sql, clock),
    roster: openRoster(held.sql, clock),
    relay: openRelay(held),
    watch(listener) {
      watching ??= watchFile({ path, database: held.database }, changed)
      listeners.add(listener)
      // Whoever waits for the next change comes back at once, so the looking goes on until the end.
      return () => void listeners.delete(listener)
    },
    async close() {
      watching?.close()
      listeners.clear()
      held.database.close()
    },
  }
}
