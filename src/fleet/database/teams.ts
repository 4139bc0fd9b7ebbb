/** The teams of sessions of a fleet. What a session changes in its team, it changes under its lease. */

import { systemClock } from "#lib/clock.ts"
import type { Database, Sql } from "#lib/database.ts"
import { openTeamInPostgres, runIn, type RunWork, teamInPostgres, topic as teamTopic } from "#ground/team/postgres.ts"
import { membersOwed } from "#ground/team/roster.ts"
import { objectIn } from "#lib/json.ts"
import { teamOverview } from "#team/overview.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetTeams } from "#fleet/store.ts"
import { listsChanged } from "./notices.ts"
import { afterWake, wokenColumns, type WokenRow } from "./transaction.ts"
import { now } from "./tables.ts"

/** Names are chosen by models: those of other sessions are not in the way. */
const idOf = (sessionId: string, team: string): string => `${sessionId}/${team}`

export function openTeams(database: Database): FleetTeams {
  return {
    async has(lead, team) {
      return (await database.rows("select 1 from teams where id = $1", [idOf(lead, team)])).length > 0
    },
    async open(lease, about, lead = lease.sessionId) {
      const team = idOf(lead, about.name)
      const onChange = async (sql: Sql, run: RunWork): Promise<void> => {
        await wakeOwed(sql, run, lead)
        await notifyTeam(sql, lead)
      }
      const parts = { database, team, about, clock: systemClock, guard: guardOf(lease), onChange }
      const opened = await openTeamInPostgres(parts)
      if (!opened.ok) throw new Error("The database was used by a newer version of Codewright.")
      return opened.value
    },
    async remove(lease, team) {
      await database.transaction(
        async (sql) => {
          await guardOf(lease)(sql)
          await sql.rows("delete from teams where id = $1", [idOf(lease.sessionId, team)])
          await notifyTeam(sql, lease.sessionId)
        },
        { locks: "its own" },
      )
    },
    async of(sessionId) {
      const team = await teamOf(database, sessionId)
      if (team === undefined) return undefined
      const overview = await teamOverview(teamInPostgres({ database, team, clock: systemClock }))
      const lead = leadIn(team)
      const found = await database.rows<{ id: string }>("select id from fleet_sessions where lead = $1", [lead])
      const sessions = new Set(found.map(({ id }) => id))
      // A member that is a session of its own is shown as that.
      const shown = (id: string): string => (sessions.has(memberSessionId(lead, id)) ? memberSessionId(lead, id) : id)
      return { ...overview, members: overview.members.map((each) => ({ ...each, sessionId: shown(each.sessionId) })) }
    },
    async handDown(lease, team, handed) {
      const id = idOf(lease.sessionId, team)
      await database.transaction(
        async (sql) => {
          await guardOf(lease)(sql)
          await sql.rows("update teams set handed = $2 where id = $1", [id, JSON.stringify(handed)])
          await sql.notify(teamTopic, id)
        },
        { locks: "its own" },
      )
    },
    async handed(lead, team) {
      const statement = "select handed from teams where id = $1 and handed is not null"
      const [row] = await database.rows<{ handed: string }>(statement, [idOf(lead, team)])
      return row && objectIn(row.handed)
    },
    async owes(sessionId) {
      const team = await teamOf(database, sessionId)
      if (team === undefined) return false
      const lead = leadIn(team)
      const owed = await runIn(database, team, membersOwed())
      if (owed.some(({ session_id: id }) => sessionId === id || sessionId === memberSessionId(lead, id))) return true
      const lost = await database.rows(
        `select 1 from team_members as member join fleet_sessions as session on session.id = $2 || '-' || member.session_id
         where member.team = $1 and member.state <> 'gone' and session.stage in ('cancelled', 'failed')`,
        [team, lead],
      )
      return sessionId === lead && lost.length > 0
    },
  }
}

/** Of a member that is a session of its own; the store of the team knows it by the id of the agent. */
export const memberSessionId = (lead: string, agentId: string): string => `${lead}-${agentId}`

const leadIn = (team: string): string => team.slice(0, team.indexOf("/"))

async function teamOf(database: Database, sessionId: string): Promise<string | undefined> {
  const [found] = await database.rows<{ team: string }>(
    `select team from team_members as member
     where session_id = any(array[$1, (select substr(id, length(lead) + 2) from fleet_sessions where id = $1)])
       and (session_id = $1 or split_part(team, '/', 1) || '-' || session_id = $1)
     order by joined_at desc limit 1`,
    [sessionId],
  )
  return found?.team
}

/** Sessions that are set aside and have something to do now are taken by some worker; one that is held learns of it before it is set aside. */
async function wakeOwed(sql: Sql, run: RunWork, lead: string): Promise<void> {
  for (const { session_id: id, state } of await run(membersOwed())) {
    const woken = await sql.rows<WokenRow>(
      `update fleet_sessions set wakes = wakes + 1, wake_at = least(coalesce(wake_at, ${now}), ${now})
       where id in ($1, $2) and stage not in ('cancelled', 'failed') and ($3 or worker is not null or stage = 'completed') returning ${wokenColumns}`,
      [id, memberSessionId(lead, id), state === "idle"],
    )
    for (const each of woken) await afterWake(sql, each)
  }
}

/** Whoever looks at a team sees it change. */
export async function notifyTeam(sql: Sql, lead: string): Promise<void> {
  const [row] = await sql.rows<{ created_by: string }>("select created_by from fleet_sessions where id = $1", [lead])
  if (row) await listsChanged(sql, { what: "teams", of: row.created_by })
}

/** The row is held until the end of the transaction, so nobody takes the session over before that. */
const guardOf =
  ({ sessionId, fence, worker }: Lease) =>
  async (sql: Sql): Promise<void> => {
    const leaseRows = await sql.rows(
      "select 1 from fleet_sessions where id = $1 and fence = $2 and worker = $3 for share",
      [sessionId, fence, worker],
    )
    if (leaseRows.length === 0) throw new Error("another worker has taken over the session, or it was cancelled")
  }
