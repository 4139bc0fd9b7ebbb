/** What the lead is told of its team: that it was made, that somebody joined, that it is over. */

import type { Member } from "#agent/words/team.ts"
import { answered, type Outcome } from "#agent/words/tool.ts"
import { leadName } from "./place.ts"

export const createdOutcome = (team: string, merge: string): Outcome =>
  answered(createdWords(team, merge), {
    display: { kind: "text", text: `You lead the team ${team}` },
    data: { team_name: team, lead: leadName },
  })

export const removedOutcome = (team: string): Outcome =>
  answered(`The team ${team} is ended. Branches of its members are kept.`, {
    display: { kind: "text", text: `Ended the team ${team}` },
  })

/** A member whose start was not noted before the program ended; it is started again with its log. */
export function startedBefore({ name, sessionId, agentType = "", branch }: Member, team: string): Outcome {
  const where = branch === undefined ? "" : ` It works on the branch ${branch}.`
  return answered(
    `${name} is in the team ${team} now (${agentType} agent ${sessionId}).${where} Its reports and messages come to you by themselves; write to it with SendMessage.`,
    {
      display: { kind: "text", text: `${name} joined ${team}` },
      data: { status: "teammate_spawned", agentId: sessionId, agentType, name, team_name: team },
    },
  )
}

export const createdWords = (
  team: string,
  merge: string,
): string => `You lead the team ${team}; your name in it is ${leadName}.
1. Write the tasks with TaskCreate, so that each can be done by somebody who knows nothing else; blockedBy says what must come first.
2. Start members with Task, team_name "${team}" and a name. Members take the tasks by themselves, one at a time, in order. Give a member no task in its prompt: say what it should know.
3. Then end your turn. Reports, messages and what becomes of tasks come to you by themselves. Do not poll or wait.
Members on branches of their own commit their work; bring it together with ${merge}. A task that failed three times becomes yours. When all is done, tell the user what was done, ask members to leave (shutdown_request), and end the team with TeamDelete.`
