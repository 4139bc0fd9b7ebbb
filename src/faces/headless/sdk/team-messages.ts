/** What changed in a team, in messages of our own: the protocol has none for teams. */

import type { Member, TeamOverview, TeamTask } from "#agent/words/team.ts"
import type { Event } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import type { Envelope } from "./envelope.ts"

export const isTeamEvent = (event: Event): boolean =>
  event.type === "team_change" || (event.type === "entry" && event.entry.kind === "team")

export interface TeamNews {
  /** What is different from the team as it was told last. */
  readonly messagesFor: (team: TeamOverview | null) => readonly object[]
}

export function openTeamNews({ stamp }: Envelope): TeamNews {
  let reported: TeamOverview | null = null
  return {
    messagesFor(team) {
      const before = reported
      reported = team
      return newsIn(before, team).map((news) => ({ type: "system", ...news, ...stamp() }))
    },
  }
}

function newsIn(before: TeamOverview | null, now: TeamOverview | null): readonly object[] {
  if (!now) return before ? [{ subtype: "team_deleted", team_name: before.name }] : []
  const { name: team_name, description, lead } = now
  const isNew = before?.name !== team_name
  const was = isNew ? undefined : before
  return [
    ...(isNew && before ? [{ subtype: "team_deleted", team_name: before.name }] : []),
    ...(isNew
      ? [{ subtype: "team_created", team_name, lead: lead ?? null, ...optional("description", description) }]
      : []),
    ...memberNews(was?.members ?? [], now),
    ...taskNews(was?.tasks ?? [], now),
  ]
}

const memberNews = (
  before: TeamOverview["members"],
  { name: team_name, lead, members }: TeamOverview,
): readonly object[] =>
  members
    .filter(({ name }) => name !== lead)
    .flatMap((member) => {
      const was = before.find(({ name }) => name === member.name)?.state
      if (was === member.state) return []
      const { name, sessionId, agentType, branch } = member
      const about = {
        team_name,
        name,
        agent_id: sessionId,
        ...optional("agent_type", agentType),
        ...optional("branch", branch),
      }
      return [{ subtype: memberSubtype(was, member), ...about }]
    })

function memberSubtype(was: Member["state"] | undefined, { state }: Member): string {
  if (state === "gone") return "teammate_left"
  if (was === undefined || was === "gone") return "teammate_joined"
  return state === "idle" ? "teammate_idle" : "teammate_working"
}

function taskNews(before: TeamOverview["tasks"], { name: team_name, tasks }: TeamOverview): readonly object[] {
  const reportedTasks = new Map(before.map((task) => [task.id, JSON.stringify(shownTask(task))]))
  const changed = tasks.filter((task) => reportedTasks.get(task.id) !== JSON.stringify(shownTask(task)))
  const gone = before.filter(({ id }) => !tasks.some((task) => task.id === id))
  return [...changed.map(shownTask), ...gone.map((task) => shownTask({ ...task, status: "deleted" }))].map((task) => ({
    subtype: "team_task_changed",
    team_name,
    task,
  }))
}

const shownTask = ({ id, subject, status, owner, blocks, blockedBy, attempts }: TeamTask): object => ({
  id,
  subject,
  status,
  ...optional("owner", owner),
  blocks,
  blockedBy,
  attempts,
})
