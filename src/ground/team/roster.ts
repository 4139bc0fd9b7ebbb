/** Who is in a team, in its file. */

import type { Database, SQLQueryBindings } from "bun:sqlite"
import type { Member, MemberState, NewMember, Owed, Roster } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { KeptBoard } from "./board.ts"
import type { TeamAbout, TeamDatabase } from "./database.ts"
import { forward } from "./mail.ts"
import type { TaskRows } from "./task-rows.ts"

export interface MemberRow {
  readonly name: string
  readonly session_id: string
  readonly agent_type: string | null
  readonly color: string | null
  readonly folder: string | null
  readonly branch: string | null
  readonly pid: number
  readonly start: string
  readonly host: string
  readonly state: MemberState
  readonly activity: string | null
  readonly tokens: number
  readonly cost_usd: number
  readonly joined_at: number
  readonly read_to: number
}

export function openRoster(
  { database, write }: TeamDatabase,
  rows: TaskRows,
  giveBackAll: KeptBoard["giveBackAll"],
  clock: Clock,
): Roster {
  const one = database.query<MemberRow, [string]>("select * from members where name = ?")
  const set = (name: string, values: Partial<Omit<MemberRow, "name">>): void => {
    const names = Object.keys(values)
    if (names.length === 0) return
    const change = `update members set ${names.map((column) => `${column} = ?`).join(", ")} where name = ?`
    database.query(change).run(...(Object.values(values) as SQLQueryBindings[]), name)
  }
  function owed(name: string, cursor: number): Owed | undefined {
    const open = rows.openOf(name)
    const ready = rows.ready(name)?.id
    const { unread = 0 } =
      database
        .query<{ unread: number }, [string, number]>(
          "select count(*) as unread from mail where recipient = ? and seq > ?",
        )
        .get(name, cursor) ?? {}
    if (open === undefined && ready === undefined && unread === 0) return undefined
    return {
      ...(open !== undefined && { openTask: String(open) }),
      ...(ready !== undefined && { readyTask: String(ready) }),
      unread,
    }
  }

  return {
    async about() {
      const about = database
        .query<{ name: string; description: string | null; lead: string }, []>("select * from about")
        .get() ?? { name: "", description: null, lead: "" }
      return {
        name: about.name,
        lead: about.lead,
        ...(about.description !== null && { description: about.description }),
      } satisfies TeamAbout
    },
    join: async (member) =>
      write((): Result<Member, { kind: "name_taken"; name: string }> => {
        const before = one.get(member.name)
        if (before && before.state !== "gone" && before.session_id !== member.sessionId)
          return failed({ kind: "name_taken", name: member.name })
        enter(database, member, clock.now())
        const now = one.get(member.name)
        return now ? ok(asMember(now)) : failed({ kind: "name_taken", name: member.name })
      }),
    async tell(name, { activity, tokens, costUsd }) {
      write(() =>
        set(name, {
          ...(activity !== undefined && { activity }),
          ...(tokens !== undefined && { tokens }),
          ...(costUsd !== undefined && { cost_usd: costUsd }),
        }),
      )
    },
    async working(name) {
      write(() => {
        if (one.get(name)?.state !== "working") set(name, { state: "working" })
      })
    },
    idle: async (name, cursor) =>
      write((): Result<void, Owed> => {
        const owes = owed(name, cursor)
        if (owes) return failed(owes)
        if (one.get(name)?.state !== "idle") set(name, { state: "idle", activity: null })
        return ok(undefined)
      }),
    async leave(name, note, how) {
      write(() => {
        set(name, { state: "gone", activity: null })
        giveBackAll(name, note, how)
        forward(database, name)
      })
    },
    members: async () => database.query<MemberRow, []>("select * from members order by rowid").all().map(asMember),
  }
}

/** One that comes back keeps what it has cost and read. */
function enter(database: Database, member: NewMember, now: number): void {
  database
    .query(
      `insert into members (name, session_id, agent_type, color, folder, branch, pid, start, host, state, joined_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'working', ?)
       on conflict (name) do update set
         session_id = excluded.session_id, agent_type = excluded.agent_type, color = excluded.color, folder = excluded.folder,
         branch = excluded.branch, pid = excluded.pid, start = excluded.start, host = excluded.host, state = 'working'`,
    )
    .run(
      member.name,
      member.sessionId,
      member.agentType ?? null,
      member.color ?? null,
      member.folder ?? null,
      member.branch ?? null,
      member.pid,
      member.start,
      member.host,
      now,
    )
}

export const asMember = (row: MemberRow): Member => ({
  name: row.name,
  sessionId: row.session_id,
  ...(row.agent_type !== null && { agentType: row.agent_type }),
  ...(row.color !== null && { color: row.color }),
  ...(row.folder !== null && { folder: row.folder }),
  ...(row.branch !== null && { branch: row.branch }),
  pid: row.pid,
  start: row.start,
  host: row.host,
  state: row.state,
  ...(row.activity !== null && { activity: row.activity }),
  tokens: row.tokens,
  costUsd: row.cost_usd,
  joinedAt: row.joined_at,
})
