/** The log of a session in the database: lines in order, without gaps, from whoever holds the session. */

import type { Sql } from "#lib/database.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { sessionTopic, tellSession } from "./notices.ts"
import type { Db } from "./transaction.ts"
import type { FleetEvent, Lease } from "#fleet/records.ts"
import type { FleetLines, ShipFailure } from "#fleet/store/lines.ts"
import { now } from "./tables.ts"

/** Agents have logs of their own, whose lines travel with those of the session, each after the name of its log. */
export const agentLine = (log: string, line: string): string => `@${log} ${line}`
export const isOfAgent = (line: string): boolean => line.startsWith("@")

/** Whoever is so far behind reads the entries, which say the same. */
const mostMoments = 500

interface Arrived {
  readonly seq: number
  readonly line: string
}

export function openLines(db: Db): FleetLines {
  return {
    async ship(lease, from, lines) {
      if (lines.length > 0 && (await append(db, lease, from, lines))) return ok(undefined)
      const why = await whyNot(db, lease, from, lines)
      if (!why.ok) return why
      // Some have arrived before, and only the answer was lost.
      const fresh = lines.slice(why.value)
      if (fresh.length === 0 || (await append(db, lease, from + why.value, fresh))) return ok(undefined)
      return failed({ kind: "fenced" } as const)
    },
    async pass({ sessionId, fence, worker }, moments) {
      const [row] = await db.rows<{ watched: boolean; events: number | null }>(
        `with numbered as (
           update fleet_sessions set events = events + $4::integer where id = $1 and fence = $2 and worker = $3
             and exists (select from fleet_watched where what = $1 and until > ${now}) returning events
         ),
         added as (
           insert into fleet_events (session, seq, type, data)
           select $1, events - $4::integer + nth::integer, 'moment', data
           from numbered cross join unnest($5::text[]) with ordinality as given (data, nth) where nth > $4::integer - ${mostMoments}
         ),
         gone as (
           delete from fleet_events where session = $1 and type = 'moment' and seq <= (select events - ${mostMoments} from numbered)
         )
         select exists (select from fleet_watched where what = $1 and until > ${now}) as watched, (select events from numbered) as events,
           (select ${tellSession("$1", "$6")} from numbered)`,
        [sessionId, fence, worker, moments.length, moments, sessionTopic(sessionId)],
      )
      if (row?.watched === true && row.events === null) return failed({ kind: "fenced" } as const)
      return ok(row?.watched === true)
    },
    async isWatched(sessionId) {
      const statement = `select from fleet_watched where what = $1 and until > ${now}`
      return (await db.rows(statement, [sessionId])).length > 0
    },
    async after(sessionId, line, limit) {
      const found = await db.rows<Arrived>(
        "select seq, line from fleet_lines where session = $1 and seq > $2 order by seq limit $3::integer",
        [sessionId, line, limit],
      )
      return found.map((each) => each.line)
    },
    events: (sessionId, after, limit) =>
      db.rows<FleetEvent>(
        `select event.seq, event.type, coalesce(event.data, arrived.line) as data from fleet_events as event
         left join fleet_lines as arrived on arrived.session = event.session and arrived.seq = event.line
         where event.session = $1 and event.seq > $2 order by event.seq limit $3::integer`,
        [sessionId, after, limit],
      ),
  }
}

/** All of them in one statement, whose lock on the session nobody waits for long; false if these are not the next lines of whoever holds it. */
async function append(
  sql: Pick<Sql, "rows">,
  { sessionId, fence, worker }: Lease,
  from: number,
  lines: readonly string[],
): Promise<boolean> {
  const shown = lines.flatMap((line, nth) => (isOfAgent(line) ? [] : [String(from + nth)]))
  const added = await sql.rows(
    `with counted as (
       update fleet_sessions set lines = lines + $5::integer, events = events + $6::integer, updated_at = ${now}
       where id = $1 and fence = $2 and worker = $3 and lines = $4::integer - 1 returning events
     ),
     arrived as (
       insert into fleet_lines (session, seq, line)
       select $1, $4::integer - 1 + nth::integer, line from counted cross join unnest($7::text[]) with ordinality as given (line, nth)
     ),
     shown as (
       insert into fleet_events (session, seq, type, line)
       select $1, events - $6::integer + nth::integer, 'entry', line::integer
       from counted cross join unnest($8::text[]) with ordinality as given (line, nth)
     )
     select ${tellSession("$1", "$9")} from counted`,
    [sessionId, fence, worker, from, lines.length, shown.length, lines, shown, sessionTopic(sessionId)],
  )
  return added.length > 0
}

/** How many of them are there already. */
async function whyNot(
  sql: Pick<Sql, "rows">,
  { sessionId, fence, worker }: Lease,
  from: number,
  lines: readonly string[],
): Promise<Result<number, ShipFailure>> {
  const [row] = await sql.rows<{ lines: number }>(
    "select lines from fleet_sessions where id = $1 and fence = $2 and worker = $3",
    [sessionId, fence, worker],
  )
  if (!row) return failed({ kind: "fenced" })
  if (from > row.lines + 1) return failed({ kind: "gap", expected: row.lines + 1 })
  const there = await sql.rows<Arrived>(
    "select seq, line from fleet_lines where session = $1 and seq >= $2 and seq < $3 order by seq",
    [sessionId, from, from + lines.length],
  )
  const other = there.find(({ seq, line }) => lines[seq - from] !== line)
  return other ? failed({ kind: "diverged", at: other.seq }) : ok(there.length)
}
