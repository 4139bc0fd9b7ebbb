/** Who is in a team. */

import type { Member, MemberState, NewMember, Owed, Roster, TeamAbout } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { giveBackAll } from "./board.ts"
import { forward } from "./mail.ts"
import { change, leadName, memberLike, row, rows, set, type TeamSql, type Work } from "./sql.ts"
import { openOf, readyFor, restoreTasks } from "./task-rows.ts"

interface MemberRow {
  readonly name: string
  readonly session_id: string
  readonly agent_type: string | null
  readonly color: string | null
  readonly folder: string | null
  readonly branch: string | null
  readonly call_id: string | null
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

export function openRoster(sql: TeamSql, clock: Clock): Roster {
  return {
    about: () => sql.read(about),
    join: (member) => sql.write(() => join(member, clock.now())),
    report: (name, { activity, tokens, costUsd }) =>
      sql.write(() =>
        setMember(name, {
          ...(activity !== undefined && { activity }),
          ...(tokens !== undefined && { tokens }),
          ...(costUsd !== undefined && { cost_usd: costUsd }),
        }),
      ),
    working: (name) =>
      sql.write(function* () {
        if ((yield* memberNamed(name))?.state !== "working") yield* setMember(name, { state: "working" })
      }),
    idle: (name, cursor) => sql.write(() => idle(name, cursor)),
    leave: (name, note, how) =>
      sql.write(function* () {
        yield* setMember(name, { state: "gone", activity: null })
        yield* giveBackAll(name, { note, now: clock.now(), how })
        yield* forward(name)
      }),
    members: () => sql.read(allMembers),
  }
}

export function* allMembers(): Work<readonly Member[]> {
  return (yield* rows<MemberRow>("select * from team_members where team = $1 order by place")).map(asMember)
}

export function* about(): Work<TeamAbout> {
  const team = yield* row<{ name: string; description: string | null; lead: string }>(
    "select name, description, lead from teams where id = $1",
  )
  const { name = "", description = null, lead = "" } = team ?? {}
  return { name, lead, ...(description !== null && { description }) }
}

/** One that comes back keeps what it has cost and read. */
function* join(member: NewMember, now: number): Work<Result<Member, { kind: "name_taken"; name: string }>> {
  // Ann and ann would be taken for each other.
  const before = yield* memberLike(member.name)
  if (before && before.state !== "gone" && before.session_id !== member.sessionId)
    return failed({ kind: "name_taken", name: member.name })
  const [entered] = yield* change<MemberRow>(
    `insert into team_members (team, name, session_id, agent_type, color, folder, branch, pid, start, host, state, joined_at, call_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'working', $11, $12)
     on conflict (team, name) do update set
       session_id = excluded.session_id, agent_type = excluded.agent_type, color = excluded.color, folder = excluded.folder,
       branch = excluded.branch, pid = excluded.pid, start = excluded.start, host = excluded.host, state = 'working',
       call_id = case when team_members.session_id = excluded.session_id then coalesce(excluded.call_id, team_members.call_id) else excluded.call_id end
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
    now,
    member.callId ?? null,
  )
  return entered ? ok(asMember(entered)) : failed({ kind: "name_taken", name: member.name })
}

function* idle(name: string, cursor: number): Work<Result<void, Owed>> {
  // A run may end once the lead is idle: what others wrote to the file must not end it early.
  if (name === (yield* leadName())) yield* restoreTasks()
  const owes = yield* owed(name, cursor)
  if (owes) return failed(owes)
  if ((yield* memberNamed(name))?.state !== "idle") yield* setMember(name, { state: "idle", activity: null })
  return ok(undefined)
}

/**
 * Those with something to do that they do not have yet: mail, or a task that could be begun. That a task is done is no news while the report about it
 * is still to come, and the lead begins tasks of its own accord.
 */
export function* membersOwed(): Work<readonly Pick<MemberRow, "session_id" | "state">[]> {
  const there = yield* rows<MemberRow & { readonly unread: boolean | number; readonly leads: boolean | number }>(
    `select *, name = (select lead from teams where id = $1) as leads, exists (
       select 1 from team_mail as mail where mail.team = $1 and mail.recipient = member.name and mail.seq > member.read_to
       and not (mail.type = 'task_notification' and exists (
         select 1 from team_members as sender where sender.team = $1 and sender.name = mail.sender and sender.state = 'working'))
     ) as unread from team_members as member where team = $1 and state <> 'gone' order by place`,
  )
  const owing: MemberRow[] = []
  for (const member of there) {
    const canBegin =
      !member.leads && (yield* openOf(member.name)) === undefined && (yield* readyFor(member.name)) !== undefined
    if (member.unread || canBegin) owing.push(member)
  }
  return owing
}

const memberNamed = (name: string): Work<MemberRow | undefined> =>
  row<MemberRow>("select * from team_members where team = $1 and name = $2", name)

const setMember = (name: string, values: Partial<Omit<MemberRow, "name">>): Work<void> =>
  set("team_members", { name }, values)

function* owed(name: string, cursor: number): Work<Owed | undefined> {
  const open = yield* openOf(name)
  const ready = (yield* readyFor(name))?.id
  const { unread } = (yield* row<{ unread: number }>(
    "select cast(count(*) as integer) as unread from team_mail where team = $1 and recipient = $2 and seq > $3",
    name,
    cursor,
  )) ?? { unread: 0 }
  if (open === undefined && ready === undefined && unread === 0) return undefined
  return {
    ...(open !== undefined && { openTask: String(open) }),
    ...(ready !== undefined && { readyTask: String(ready) }),
    unread,
  }
}

const asMember = (member: MemberRow): Member => ({
  name: member.name,
  sessionId: member.session_id,
  ...(member.agent_type !== null && { agentType: member.agent_type }),
  ...(member.color !== null && { color: member.color }),
  ...(member.folder !== null && { folder: member.folder }),
  ...(member.branch !== null && { branch: member.branch }),
  ...(member.call_id !== null && { callId: member.call_id }),
  pid: member.pid,
  start: member.start,
  host: member.host,
  state: member.state,
  ...(member.activity !== null && { activity: member.activity }),
  tokens: member.tokens,
  costUsd: member.cost_usd,
  joinedAt: member.joined_at,
})
