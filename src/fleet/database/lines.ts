/** The log of a session in the database: lines in order, without gaps, from whoever holds the session. */

import { failed, ok } from "#lib/result.ts"
import { type Db, topic } from "./transaction.ts"
import type { FleetEvent } from "#fleet/records.ts"
import type { FleetLines } from "#fleet/store.ts"
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
    ship: ({ sessionId, fence, worker }, from, lines) =>
      db.write(async (sql) => {
        const [row] = await sql.rows<{ lines: number; events: number }>(
          "select lines, events from fleet_sessions where id = $1 and fence = $2 and worker = $3 for update",
          [sessionId, fence, worker],
        )
        if (!row) return failed({ kind: "fenced" } as const)
        if (from > row.lines + 1) return failed({ kind: "gap", expected: row.lines + 1 } as const)
        const there = await sql.rows<Arrived>(
          "select seq, line from fleet_lines where session = $1 and seq >= $2 and seq < $3 order by seq",
          [sessionId, from, from + lines.length],
        )
        const other = there.find(({ seq, line }) => lines[seq - from] !== line)
        if (other) return failed({ kind: "diverged", at: other.seq } as const)
        const fresh = lines.slice(there.length)
        if (fresh.length === 0) return ok(undefined)
        await sql.rows(
          `insert into fleet_lines (session, seq, line)
           select $1, $2::integer + nth::integer, line from unnest($3::text[]) with ordinality as given (line, nth)`,
          [sessionId, row.lines, fresh],
        )
        const shown = fresh.flatMap((line, nth) => (isOfAgent(line) ? [] : [String(row.lines + nth + 1)]))
        await sql.rows(
          `insert into fleet_events (session, seq, type, line)
           select $1, $2::integer + nth::integer, 'entry', line::integer from unnest($3::text[]) with ordinality as given (line, nth)`,
          [sessionId, row.events, shown],
        )
        await sql.rows(
          `update fleet_sessions set lines = lines + $2::integer, events = events + $3::integer, updated_at = ${now} where id = $1`,
          [sessionId, fresh.length, shown.length],
        )
        await sql.notify(topic, sessionId)
        return ok(undefined)
      }),
    pass: ({ sessionId, fence, worker }, moments) =>
      db.write(async (sql) => {
        const [row] = await sql.rows<{ events: number }>(
          `update fleet_sessions set events = events + $4::integer where id = $1 and fence = $2 and worker = $3 returning events`,
          [sessionId, fence, worker, moments.length],
        )
        if (!row) return failed({ kind: "fenced" } as const)
        await sql.rows(
          `insert into fleet_events (session, seq, type, data)
           select $1, $2::integer + nth::integer, 'moment', data from unnest($3::text[]) with ordinality as given (data, nth)`,
          [sessionId, row.events - moments.length, moments],
        )
        await sql.rows("delete from fleet_events where session = $1 and type = 'moment' and seq <= $2", [
          sessionId,
          row.events - mostMoments,
        ])
        await sql.notify(topic, sessionId)
        return ok(undefined)
      }),
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
