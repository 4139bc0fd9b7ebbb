/** A team as programs see it: what `codewright team --json` prints and the server answers. */

import type { TeamLook } from "#agent/words/team.ts"
import type { JsonObject } from "#lib/json.ts"

/** The shape that other programs rely on. */
export const shownTeam = ({ name, lead, members, tasks, mail }: TeamLook): JsonObject => ({
  name,
  lead: lead ?? null,
  members: members.map(({ name: member, state, sessionId, pid }) => ({
    name: member,
    state,
    sessionId,
    ...taskOf(member, tasks),
    pid,
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

function taskOf(member: string, tasks: TeamLook["tasks"]): { readonly taskId?: string } {
  const task = tasks.find(({ owner, status }) => owner === member && status === "in_progress")
  return task === undefined ? {} : { taskId: task.id }
}
