/** What makes a session the lead of a team: the tools that make and end one, and the team itself while there is one. */

import type { Entry } from "#agent/words/entry.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import type { MemberAsk, StartedMember } from "#kits/subagents/members.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import { cameOfCall, notRun } from "./came-of.ts"
import type { OpenTeam, TeamPorts, TeamKit } from "#session/opening/team.ts"
import type { Lead } from "./lead.ts"
import { isTeamName, leadName } from "./place.ts"
import { createTool, deleteTool } from "./team-tools.ts"
import { fileTeamStores, type TeamStores } from "./team-stores.ts"

export const openTeamKit: OpenTeam = (ports) => openTeamKitOn(fileTeamStores(ports.stateFolder, ports.clock), ports)

export function openTeamKitOn(shelf: TeamStores, ports: TeamPorts): TeamKit {
  let led: Lead | undefined
  let opening: Promise<Lead | undefined> | undefined
  /** The team of the log. */
  let kept: { readonly team: string; readonly mailTo: number } | undefined
  let joined: readonly AnyTool[] = []
  let isStarted = false
  let isTurnOpen = false
  let wake = (): void => {}
  let making: Promise<Outcome> | undefined
  const mergeWord = ports.git ? "MergeBranch" : "git merge"

  async function open(team: string, mailTo: number, description?: string): Promise<Lead> {
    const { openLead } = await import("./lead.ts")
    led = await openLead({ ports, shelf, team, description, mailTo, wake: () => wake() })
    joined = [...led.tools, deleteTool(remove)]
    return led
  }

  /** A member without a team makes one: programs that know only names expect that. */
  async function startFirst(ask: MemberAsk): Promise<Result<StartedMember, string>> {
    const team = `session-${ports.sessionId.slice(0, 8)}`
    // Several may be started in one answer.
    making ??= create(team, undefined)
    const made = await making
    making = undefined
    if (!led) return failed(typeof made.content === "string" ? made.content : "The team could not be made.")
    const started = await led.startMember({ ...ask, team })
    return started.ok
      ? ok({ ...started.value, text: `${started.value.text}\n\n${createdWords(team, mergeWord)}` })
      : started
  }

  async function create(name: string, description: string | undefined): Promise<Outcome> {
    if (kept) return refused(`You lead the team ${kept.team}. End it with TeamDelete before you make another.`)
    const team = safeName(name)
    if (team === undefined) return refused("Give the team a name with at least one letter or digit.")
    try {
      if ((await shelf.has(team)) && !(await isOurs(team)))
        return refused(`There is a team ${team} already, of another session. Choose another name.`)
      await open(team, 0, description)
    } catch (error) {
      return refused(`The team could not be made: ${error instanceof Error ? error.message : String(error)}`)
    }
    ports.record({ kind: "team", team, name: leadName, mailTo: 0 })
    return created(team)
  }

  const created = (team: string): Outcome =>
    answered(createdWords(team, mergeWord), {
      display: { kind: "text", text: `You lead the team ${team}` },
      data: { team_name: team, lead: leadName },
    })

  /** Looks into the store of a team without leading it yet. */
  async function lookInto<T>(team: string, look: (store: TeamStore) => Promise<T>): Promise<T> {
    const store = await shelf.open({ name: team, lead: leadName })
    try {
      return await look(store)
    } finally {
      await store.close()
    }
  }

  /** Made by this session, which may have ended before it entered itself. */
  const isOurs = (team: string): Promise<boolean> =>
    lookInto(team, async ({ roster }) => {
      const lead = (await roster.members()).find(({ name }) => name === leadName)
      return lead === undefined || lead.sessionId === ports.sessionId
    })

  async function cameOf(call: ToolUseBlock): Promise<Outcome | undefined> {
    const { name, input } = call
    if (name === "TeamCreate") {
      const team = kept?.team ?? safeName(String(input.name))
      if (team === undefined || !(await shelf.has(team)) || !(await isOurs(team))) return notRun
      if (!kept) ports.record({ kind: "team", team, name: leadName, mailTo: 0 })
      return created(team)
    }
    if (!kept) return undefined
    const { team, mailTo } = kept
    if (name === "TeamDelete") {
      if (await shelf.has(team)) return notRun
      ports.record({ kind: "team", team, name: leadName, mailTo, over: true })
      return removed(team)
    }
    if (!(await shelf.has(team))) return undefined
    return lookInto(team, async (store) => {
      if (name !== "Task") return cameOfCall(store, leadName, call)
      const member = (await store.roster.members()).find(({ callId, state }) => callId === call.id && state !== "gone")
      return member && ports.crew.look(member.sessionId) ? startedBefore(member, team) : undefined
    })
  }

  async function remove(): Promise<Outcome> {
    if (!led || !kept) return refused("You lead no team.")
    const { team } = kept
    const ended = await led.end()
    if (!ended.ok) return refused(ended.failure)
    led = undefined
    ports.record({ kind: "team", team, name: leadName, mailTo: kept.mailTo, over: true })
    return removed(team)
  }

  function take(entry: Entry): void {
    if (entry.kind === "team") kept = entry.over ? undefined : { team: entry.team, mailTo: entry.mailTo }
    if (entry.kind === "turn_start" || entry.kind === "turn_end") isTurnOpen = entry.kind === "turn_start"
    const to = entry.kind === "attachment" ? entry.data?.mailTo : undefined
    if (kept && typeof to === "number") kept = { ...kept, mailTo: to }
    led?.take(entry)
  }

  async function goOn(): Promise<Lead | undefined> {
    if (!kept) return undefined
    try {
      // It was ended elsewhere.
      if (!(await shelf.has(kept.team))) return undefined
      const again = await open(kept.team, kept.mailTo)
      await again.startAgain(isTurnOpen)
      return again
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      ports.record({ kind: "notice", level: "warning", text: `The team ${kept.team} cannot be continued: ${why}` })
      return undefined
    }
  }

  const room: TeamKit = {
    joined: () => joined,
    members: {
      async start(ask) {
        await opening
        if (led) return led.startMember({ ...ask, team: ask.team ?? led.team })
        if (ask.team !== undefined) return failed("You lead no team. Make one with TeamCreate first.")
        return startFirst(ask)
      },
    },
    async look() {
      await opening
      return led?.look()
    },
    assign: async (id, to) => (await led?.assign(id, to)) ?? failed("There is no team."),
    start() {
      if (isStarted) return
      isStarted = true
      if (kept) opening = goOn()
    },
    kit: {
      name: "team",
      tools: [createTool(create)],
      take,
      attachments: () => (opening ? opening.then(() => led?.attachments() ?? []) : (led?.attachments() ?? [])),
      rest: () => led?.news() ?? [],
      stirs(how) {
        wake = how
        return () => void (wake = () => {})
      },
      cameOf,
      async close() {
        await opening
        await led?.close()
      },
    },
  }
  return room
}

const removed = (team: string): Outcome =>
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
function safeName(name: string): string | undefined {
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
