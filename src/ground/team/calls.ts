/** What came of tool calls, written in the transaction that carried them out. */

import type { CallKey, CallRecord, TeamStore } from "#agent/words/team.ts"
import { change, row, rows, type TeamSql, type Work } from "./sql.ts"

export const openCalls =
  (sql: TeamSql): TeamStore["cameOf"] =>
  (call) =>
    sql.read(() => recordOf(call))

/** The work is done once for each part of a call; after that its result is what it was then. */
export function* once<Part extends keyof CallRecord>(
  call: CallKey | undefined,
  part: Part,
  work: () => Work<NonNullable<CallRecord[Part]>>,
): Work<NonNullable<CallRecord[Part]>> {
  if (!call) return yield* work()
  const known = yield* row<{ came: string }>(
    "select came from team_calls where team = $1 and caller = $2 and id = $3 and part = $4",
    call.caller,
    call.id,
    part,
  )
  // Written below, as what the same part had come to.
  if (known) return JSON.parse(known.came) as NonNullable<CallRecord[Part]>
  const came = yield* work()
  yield* change(
    "insert into team_calls (team, caller, id, part, came) values ($1, $2, $3, $4, $5) returning part",
    call.caller,
    call.id,
    part,
    JSON.stringify(came),
  )
  return came
}

function* recordOf({ caller, id }: CallKey): Work<CallRecord> {
  const parts = yield* rows<{ part: string; came: string }>(
    "select part, came from team_calls where team = $1 and caller = $2 and id = $3",
    caller,
    id,
  )
  return Object.fromEntries(parts.map(({ part, came }) => [part, JSON.parse(came)])) as CallRecord
}
