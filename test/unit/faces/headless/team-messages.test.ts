/** What a stream tells of a team: what is new, and nothing twice. */

import { expect, test } from "bun:test"
import type { Member, TeamOverview } from "#agent/words/team.ts"
import { openTeamNews } from "#faces/headless/sdk/team-messages.ts"
import { taskOf } from "../../../kit/team/task.ts"

const member = (name: string, state: Member["state"], more: Partial<Member> = {}): Member => ({
  name,
  sessionId: `${name}-1`,
  pid: 1,
  start: "",
  host: "",
  state,
  tokens: 0,
  costUsd: 0,
  joinedAt: 0,
  ...more,
})

const stamp = { uuid: "u", session_id: "s" }

test("a team is told as it comes to be, as it changes, and when it ends", () => {
  const news = openTeamNews({ stamp: () => stamp, of: () => stamp })
  const told = (look: TeamOverview | null) =>
    news.messagesFor(look).map((message) => {
      expect(message).toMatchObject({ type: "system", ...stamp })
      const { type: _type, uuid: _uuid, session_id: _id, ...rest } = message as Record<string, unknown>
      return rest
    })
  const memory: TeamOverview = {
    name: "memory",
    lead: "lead",
    members: [member("lead", "working")],
    tasks: [],
    mail: [],
  }
  const team_name = "memory"
  const api = { team_name, name: "api", agent_id: "api-1" }
  const one = { id: "1", subject: "task 1", blocks: [], blockedBy: [], attempts: 0 }

  expect(told(null)).toEqual([])
  expect(told({ ...memory, description: "the login" })).toEqual([
    { subtype: "team_created", team_name, lead: "lead", description: "the login" },
  ])
  const begun = {
    ...memory,
    members: [...memory.members, member("api", "working", { branch: "b" })],
    tasks: [taskOf("1")],
  }
  expect(told(begun)).toEqual([
    { subtype: "teammate_joined", ...api, branch: "b" },
    { subtype: "team_task_changed", team_name, task: { ...one, status: "pending" } },
  ])
  expect(
    told({ ...begun, members: [...memory.members, member("api", "working", { branch: "b", tokens: 9 })] }),
  ).toEqual([])
  const taken = taskOf("1", { status: "in_progress", owner: "api" })
  expect(told({ ...begun, tasks: [taken] })).toEqual([
    { subtype: "team_task_changed", team_name, task: { ...one, status: "in_progress", owner: "api" } },
  ])
  expect(told({ ...memory, members: [...memory.members, member("api", "idle")] })).toEqual([
    { subtype: "teammate_idle", ...api },
    { subtype: "team_task_changed", team_name, task: { ...one, status: "deleted", owner: "api" } },
  ])
  expect(told({ ...memory, members: [...memory.members, member("api", "working")] })).toEqual([
    { subtype: "teammate_working", ...api },
  ])
  expect(told({ ...memory, members: [...memory.members, member("api", "gone")] })).toEqual([
    { subtype: "teammate_left", ...api },
  ])
  expect(told(null)).toEqual([{ subtype: "team_deleted", team_name }])
})
