/** A task list that several sessions share by naming it, without being a team. */

import type { Kit } from "#agent/words/kit.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { openTeamStore } from "#ground/team/store.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { outcomeOfCall } from "./call-outcome.ts"
import { openClaims } from "./claims.ts"
import { openLeases } from "./leases.ts"
import { isTeamName, listLead, teamFile } from "./place.ts"
import { taskTools } from "./task-tools.ts"

/** Between signs of life of a session that holds tasks. */
const everyMs = 15_000

export async function openSharedList(parts: {
  readonly stateFolder: string
  readonly list: string
  /** The name under which this session takes tasks. */
  readonly as: string
  readonly clock: Clock
}): Promise<Result<Kit, string>> {
  const { stateFolder, list, as: name, clock } = parts
  if (!isTeamName(list))
    return failed(
      `The name of the task list is ${JSON.stringify(list)}. Use at most 64 letters, digits, dots, dashes and underscores.`,
    )
  let store: TeamStore
  try {
    store = await openTeamStore({ path: teamFile(stateFolder, list), about: { name: list, lead: listLead }, clock })
  } catch (error) {
    return failed(`The task list ${list} cannot be opened: ${error instanceof Error ? error.message : String(error)}`)
  }
  const leases = openLeases({
    board: store.board,
    clock,
    everyMs,
    // Sessions of other machines may share the folder: only silence counts.
    isGone: async () => false,
    noteAbout: ({ owner }) => `${owner} stopped without finishing it.`,
    onBack: () => {},
    // The next call says what is wrong; a sign of life that failed is given again.
    onFailure: () => {},
  })
  // Someone who is gone may hold what this session waits for.
  leases.attend()
  return ok({
    name: "shared list",
    tools: taskTools(store.board, openClaims({ board: store.board, leases, name })),
    outcomeOf: (call) => outcomeOfCall(store, name, call),
    async close() {
      leases.close()
      await store.close()
    },
  })
}
