/** A team as programs see it: what `codewright team --json` prints and the server answers. */

import type { Member, TeamOverview } from "#agent/words/team.ts"
import type { JsonObject } from "#lib/json.ts"

/** Members whose process has ended keep their places until their lead is resumed. */
export const shownState = ({ state }: Member, runs: boolean): Member["state"] | "not_running" =>
  runs || state === "gone" ? state : "not_running"

/** The shape that other programs rely on. `runs`: whether the process of a member runs, where that can be known. */
export const shownTeam = (
  { name, lead, members, tasks, mail }: TeamOverview,
  runs: (member: Member) => boolean = () => true,
): JsonObject => ({
  name,
  lead: lead ?? null,
  members: members.map((member) => ({
    name: member.name,
    state: shownState(member, runs(member)),
    sessionId: member.sessionId,
    ...taskOf(member.name, tasks),
    pid: member.pid,
  })),
  tasks: tasks.map(({ id, subject, status, owner, blocks, blockedBy, attempts }) => ({
    id,
    subject,
    status,
    ...(owner !== undefined && { owner }),
    blocks: [...blocks],
    blockedBy: [...blockedBy],
    attempts,
  })),
  mail: mail.map(({ seq, from, to, type, summary: about, deliveredAt }) => ({
    seq,
    from,
    to,
    type,
    ...(about !== undefined && { summary: about }),
    ...(deliveredAt !== undefined && { deliveredAt: new Date(deliveredAt).toISOString() }),
  })),
})

function taskOf(member: string, tasks: TeamOverview["tasks"]): { readonly taskId?: string } {
  const task = tasks.find(({ owner, status }) => owner === member && status === "in_progress")
  return task === undefined ? {} : { taskId: task.id }
}
