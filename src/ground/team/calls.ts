/** What came of tool calls, written in the transaction that carried them out. */

import type { CallKey, CallRecord, TeamStore } from "#agent/words/team.ts"
import { sealed, unsealed } from "./seals.ts"
import { change, rows, type TeamSql, type Work } from "./sql.ts"

export const openCalls =
  (sql: TeamSql): TeamStore["callRecord"] =>
  (call) =>
    sql.read(() => recordOf(call))

/** The work is done once for each part of a call; after that its result is what it was then. */
export function* once<Part extends keyof CallRecord>(
  call: CallKey | undefined,
  part: Part,
  work: () => Work<NonNullable<CallRecord[Part]>>,
): Work<NonNullable<CallRecord[Part]>> {
  if (!call) return yield* work()
  const known = (yield* recordOf(call))[part]
  if (known !== undefined) return known
  const came = yield* work()
  yield* change(
    `insert into team_calls (team, caller, id, part, came) values ($1, $2, $3, $4, $5)
     on conflict (team, caller, id, part) do update set came = excluded.came returning part`,
    call.caller,
    call.id,
    part,
    (yield* sealed(`call ${call.caller} ${call.id} ${part}`, came)) ?? JSON.stringify(came),
  )
  return came
}

function* recordOf({ caller, id }: CallKey): Work<CallRecord> {
  const parts = yield* rows<{ part: string; came: string }>(
    "select part, came from team_calls where team = $1 and caller = $2 and id = $3",
    caller,
    id,
  )
  const record: { [part: string]: unknown } = {}
  for (const { part, came } of parts) {
    const checked = yield* unsealed<unknown>(`call ${caller} ${id} ${part}`, came)
    if (checked.kind !== "forged") record[part] = checked.kind === "true" ? checked.value : JSON.parse(came)
  }
  // Written above, each part as what it had come to.
  return record as CallRecord
}
