/** What makes a session the lead of a team: the tools that make and end one, and the team itself while there is one. */

import type { Entry } from "#agent/words/entry.ts"
import { type AnyTool, type Outcome, refused } from "#agent/words/tool.ts"
import type { MemberAsk, StartedMember } from "#kits/subagents/members.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { outcomeOfLeadCall, isOwnTeam } from "./lead-call-outcome.ts"
import { createdOutcome, createdWords, removedOutcome } from "./lead-words.ts"
import type { OpenTeam, TeamPorts, TeamKit } from "#session/opening/team.ts"
import type { Lead } from "./lead.ts"
import { leadName, safeTeamName } from "./place.ts"
import { createTool, deleteTool } from "./team-tools.ts"
import { fileTeamStores, type TeamStores } from "./team-stores.ts"

export const openTeamKit: OpenTeam = (ports) => openTeamKitOn(fileTeamStores(ports.stateFolder, ports.clock), ports)

export function openTeamKitOn(stores: TeamStores, ports: TeamPorts): TeamKit {
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
    led = await openLead({ ports, stores, team, description, mailTo, wake: () => wake() })
    joined = [...led.tools, deleteTool(remove)]
    return led
  }

  /** A member without a team makes one, as programs that know only names expect; several may be started in one answer. */
  async function startFirst(ask: MemberAsk): Promise<Result<StartedMember, string>> {
    const team = `session-${ports.sessionId.slice(0, 8)}`
    const made = await (making ??= create(team, undefined))
    making = undefined
    return led ? firstMember(led, { ...ask, team }, createdWords(team, mergeWord)) : failed(String(made.content))
  }

  async function create(name: string, description: string | undefined): Promise<Outcome> {
    if (kept) return refused(`You lead the team ${kept.team}. End it with TeamDelete before you make another.`)
    const team = safeTeamName(name)
    if (team === undefined) return refused("Give the team a name with at least one letter or digit.")
    try {
      if ((await stores.has(team)) && !(await isOwnTeam({ stores, ports }, team)))
        return refused(`There is a team ${team} already, of another session. Choose another name.`)
      await open(team, 0, description)
    } catch (error) {
      return refused(`The team could not be made: ${error instanceof Error ? error.message : String(error)}`)
    }
    ports.record({ kind: "team", team, name: leadName, mailTo: 0 })
    return createdOutcome(team, mergeWord)
  }

  async function remove(): Promise<Outcome> {
    if (!led || !kept) return refused("You lead no team.")
    const { team } = kept
    const ended = await led.end()
    if (!ended.ok) return refused(ended.failure)
    led = undefined
    ports.record({ kind: "team", team, name: leadName, mailTo: kept.mailTo, over: true })
    return removedOutcome(team)
  }

  function onEntry(entry: Entry): void {
    if (entry.kind === "team") kept = entry.over ? undefined : { team: entry.team, mailTo: entry.mailTo }
    if (entry.kind === "turn_start" || entry.kind === "turn_end") isTurnOpen = entry.kind === "turn_start"
    const to = entry.kind === "attachment" ? entry.data?.mailTo : undefined
    if (kept && typeof to === "number") kept = { ...kept, mailTo: to }
    led?.onEntry(entry)
  }

  async function goOn(): Promise<Lead | undefined> {
    if (!kept) return undefined
    try {
      // It was ended elsewhere.
      if (!(await stores.has(kept.team))) return undefined
      const again = await open(kept.team, kept.mailTo)
      await again.startAgain(isTurnOpen)
      return again
    } catch (error) {
      return void ports.record({ kind: "notice", level: "warning", text: notContinued(kept.team, error) })
    }
  }

  return {
    joined: () => joined,
    members: {
      async start(ask) {
        await opening
        if (led) return led.startMember({ ...ask, team: ask.team ?? led.team })
        if (ask.team !== undefined) return failed("You lead no team. Make one with TeamCreate first.")
        return startFirst(ask)
      },
    },
    async overview() {
      await opening
      return led?.overview()
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
      onEntry,
      attachments: () => (opening ? opening.then(() => led?.attachments() ?? []) : (led?.attachments() ?? [])),
      rest: () => led?.news() ?? [],
      stirs(how) {
        wake = how
        return () => void (wake = () => {})
      },
      outcomeOf: (call) => outcomeOfLeadCall({ stores, ports, kept: () => kept, mergeWord }, call),
      async close() {
        await opening
        await led?.close()
      },
    },
  }
}

/** Its answer also says how a team is led. */
async function firstMember(led: Lead, ask: MemberAsk, words: string): Promise<Result<StartedMember, string>> {
  const started = await led.startMember(ask)
  return started.ok ? ok({ ...started.value, text: `${started.value.text}\n\n${words}` }) : started
}

const notContinued = (team: string, error: unknown): string =>
  `The team ${team} cannot be continued: ${error instanceof Error ? error.message : String(error)}`
