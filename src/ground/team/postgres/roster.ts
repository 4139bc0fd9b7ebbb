/** Who is in a team, in Postgres. */

import type { Owed, Roster } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import type { SqlValue } from "#lib/database.ts"
import { failed, ok } from "#lib/result.ts"
import { asMember, type MemberRow } from "#ground/team/roster.ts"
import { giveBackAll } from "./board.ts"
import { forward } from "./mail.ts"
import { openOf, readyFor } from "./task-rows.ts"
import { assignments, type ChangingRows, type TeamDesk, type TeamRows } from "./team-rows.ts"

export function openRoster(desk: TeamDesk, clock: Clock): Roster {
  return {
    async about() {
      const [about] = await desk.rows<{ name: string; description: string | null; lead: string }>(
        "select name, description, lead from teams where id = $1",
      )
      const { name = "", description = null, lead = "" } = about ?? {}
      return { name, lead, ...(description !== null && { description }) }
    },
    join: (member) =>
      desk.write(async (rows) => {
        const before = await memberNamed(rows, member.name)
        if (before && before.state !== "gone" && before.session_id !== member.sessionId)
          return failed({ kind: "name_taken", name: member.name } as const)
        // One that comes back keeps what it has cost and read.
        const [now] = await rows.change<MemberRow>(
          `insert into team_members (team, name, session_id, agent_type, color, folder, branch, pid, start, host, state, joined_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'working', $11)
           on conflict (team, name) do update set
             session_id = excluded.session_id, agent_type = excluded.agent_type, color = excluded.color, folder = excluded.folder,
             branch = excluded.branch, pid = excluded.pid, start = excluded.start, host = excluded.host, state = 'working'
           returning *`,
          member.name,
          member.sessionId,
          member.agentType ?? null,
          member.color ?? null,
          member.folder ?? null,
          member.branch ?? null,
          member.pid,
          member.start,
          member.host,
          clock.now(),
        )
        return now ? ok(asMember(now)) : failed({ kind: "name_taken", name: member.name } as const)
      }),
    async tell(name, { activity, tokens, costUsd }) {
      await desk.write((rows) =>
        setMember(rows, name, {
          ...(activity !== undefined && { activity }),
          ...(tokens !== undefined && { tokens }),
          ...(costUsd !== undefined && { cost_usd: costUsd }),
        }),
      )
    },
    async working(name) {
      await desk.write(async (rows) => {
        if ((await memberNamed(rows, name))?.state !== "working") await setMember(rows, name, { state: "working" })
      })
    },
    idle: (name, cursor) =>
      desk.write(async (rows) => {
        const owes = await owed(rows, name, cursor)
        if (owes) return failed(owes)
        if ((await memberNamed(rows, name))?.state !== "idle")
          await setMember(rows, name, { state: "idle", activity: null })
        return ok(undefined)
      }),
    async leave(name, note, how) {
      await desk.write(async (rows) => {
        await setMember(rows, name, { state: "gone", activity: null })
        await giveBackAll(rows, name, { note, now: clock.now(), how })
        await forward(rows, name)
      })
    },
    members: async () =>
      (await desk.rows<MemberRow>("select * from team_members where team = $1 order by place")).map(asMember),
  }
}

/**
 * Those with something to do that they do not have yet: mail, or a task that could be begun. That a task is done is no news while the report about it
 * is still to come, and the lead begins tasks of its own accord.
 */
export async function membersOwed({ rows }: TeamRows): Promise<readonly Pick<MemberRow, "session_id" | "state">[]> {
  const there = await rows<MemberRow & { readonly unread: boolean; readonly leads: boolean }>(
    `select *, name = (select lead from teams where id = $1) as leads, exists (
       select 1 from team_mail as mail where mail.team = $1 and mail.recipient = member.name and mail.seq > member.read_to
       and not (mail.type = 'task_notification' and exists (
         select 1 from team_members as sender where sender.team = $1 and sender.name = mail.sender and sender.state = 'working'))
     ) as unread from team_members as member where team = $1 and state <> 'gone' order by place`,
  )
  const isReady = async ({ name }: MemberRow): Promise<boolean> =>
    (await openOf({ rows }, name)) === undefined && (await readyFor({ rows }, name)) !== undefined
  const owing: MemberRow[] = []
  for (const member of there) if (member.unread || (!member.leads && (await isReady(member)))) owing.push(member)
  return owing
}

async function memberNamed({ rows }: ChangingRows, name: string): Promise<MemberRow | undefined> {
  return (await rows<MemberRow>("select * from team_members where team = $1 and name = $2", name))[0]
}

async function setMember(
  { change }: ChangingRows,
  name: string,
  values: Partial<Omit<MemberRow, "name">>,
): Promise<void> {
  if (Object.keys(values).length === 0) return
  const statement = `update team_members set ${assignments(values)} where team = $1 and name = $2 returning name`
  await change(statement, name, ...(Object.values(values) as SqlValue[]))
}

async function owed(rows: ChangingRows, name: string, cursor: number): Promise<Owed | undefined> {
  const open = await openOf(rows, name)
  const ready = await readyFor(rows, name)
  const [{ unread = 0 } = {}] = await rows.rows<{ unread: number }>(
    "select count(*)::integer as unread from team_mail where team = $1 and recipient = $2 and seq > $3",
    name,
    cursor,
  )
  if (open === undefined && ready === undefined && unread === 0) return undefined
  return {
    ...(open !== undefined && { openTask: String(open) }),
    ...(ready !== undefined && { readyTask: String(ready) }),
    unread,
  }
}
