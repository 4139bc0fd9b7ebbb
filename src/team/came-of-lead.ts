/** What comes of the calls that make and end a team, and what came of those that were begun before the program ended. */

import type { ToolUseBlock } from "#agent/words/message.ts"
import type { Member } from "#agent/words/team.ts"
import { answered, type Outcome } from "#agent/words/tool.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { cameOfCall, notRun } from "./came-of.ts"
import { isTeamName, leadName } from "./place.ts"
import type { ShelvedTeam, TeamShelf } from "./shelf.ts"

export interface LeadParts {
  readonly shelf: TeamShelf
  readonly ports: Pick<TeamPorts, "sessionId" | "record" | "git" | "crew">
  /** The team of the log. */
  readonly kept: { readonly team: string; readonly mailTo: number } | undefined
}

export async function cameOfLeadsCall(
  call: ToolUseBlock,
  { shelf, ports, kept }: LeadParts,
): Promise<Outcome | undefined> {
  const { name, input } = call
  if (name === "TeamCreate") {
    const team = kept?.team ?? safeName(String(input.name))
    if (team === undefined || !(await shelf.has(team)) || !(await isOurs(shelf, team, ports.sessionId))) return notRun
    if (!kept) ports.record({ kind: "team", team, name: leadName, mailTo: 0 })
    return createdOutcome(team, ports.git)
  }
  if (!kept) return undefined
  const { team, mailTo } = kept
  const isThere = await shelf.has(team)
  if (name === "TeamDelete" && isThere) return notRun
  if (name === "TeamDelete") {
    ports.record({ kind: "team", team, name: leadName, mailTo, over: true })
    return removedOutcome(team)
  }
  if (!isThere) return undefined
  return lookInto(shelf, team, async (store) => {
    const member = (await store.roster.members()).find(({ callId, state }) => callId === call.id && state !== "gone")
    if (!member) return cameOfCall(store, leadName, call)
    return ports.crew.look(member.sessionId) ? startedBefore(member, team) : undefined
  })
}

/** Made by this session, which may have ended before it entered itself. */
export const isOurs = (shelf: TeamShelf, team: string, sessionId: string): Promise<boolean> =>
  lookInto(shelf, team, async ({ roster }) => {
    const lead = (await roster.members()).find(({ name }) => name === leadName)
    return lead === undefined || lead.sessionId === sessionId
  })

/** Looks into the store of a team without leading it yet. */
async function lookInto<T>(shelf: TeamShelf, team: string, look: (store: ShelvedTeam) => Promise<T>): Promise<T> {
  const store = await shelf.open({ name: team, lead: leadName })
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

export const createdOutcome = (team: string, git: TeamPorts["git"]): Outcome =>
  answered(createdWords(team, git ? "MergeBranch" : "git merge"), {
    display: { kind: "text", text: `You lead the team ${team}` },
    data: { team_name: team, lead: leadName },
  })

export const removedOutcome = (team: string): Outcome =>
  answered(`The team ${team} is ended. Branches of its members are kept.`, {
    display: { kind: "text", text: `Ended the team ${team}` },
  })

/** A member whose start was not noted before the program ended; it is started again with its log. */
function startedBefore({ name, sessionId, agentType = "", branch }: Member, team: string): Outcome {
  const where = branch === undefined ? "" : ` It works on the branch ${branch}.`
  return answered(
    `${name} is in the team ${team} now (${agentType} agent ${sessionId}).${where} Its reports and messages come to you by themselves; write to it with SendMessage.`,
    {
      display: { kind: "text", text: `${name} joined ${team}` },
      data: { status: "teammate_spawned", agentId: sessionId, agentType, name, team_name: team },
    },
  )
}

/** A name becomes a folder. */
export function safeName(name: string): string | undefined {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-._]+|[-._]+$/g, "")
    .slice(0, 64)
  return isTeamName(plain) ? plain : undefined
}

const createdWords = (
  team: string,
  merge: string,
): string => `You lead the team ${team}; your name in it is ${leadName}.
1. Write the tasks with TaskCreate, so that each can be done by somebody who knows nothing else; blockedBy says what must come first.
2. Start members with Task, team_name "${team}" and a name. Members take the tasks by themselves, one at a time, in order. Give a member no task in its prompt: say what it should know.
3. Then end your turn. Reports, messages and what becomes of tasks come to you by themselves. Do not poll or wait.
Members on branches of their own commit their work; bring it together with ${merge}. A task that failed three times becomes yours. When all is done, tell the user what was done, ask members to leave (shutdown_request), and end the team with TeamDelete.`
