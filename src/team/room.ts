/** What makes a session the lead of a team: the tools that make and end one, and the team itself while there is one. */

import type { Entry } from "#agent/words/entry.ts"
import { type AnyTool, type Outcome, refused } from "#agent/words/tool.ts"
import { failed } from "#lib/result.ts"
import type { OpenTeam, TeamPorts, TeamRoom } from "#session/opening/team.ts"
import type { Led } from "./led.ts"
import { leadName } from "./place.ts"
import { cameOfLeadsCall, createdOutcome, isOurs, removedOutcome, safeName } from "./came-of-lead.ts"
import { createTool, deleteTool } from "./room-tools.ts"
import { shelfOfFiles, type TeamShelf } from "./shelf.ts"

export const openTeamRoom: OpenTeam = (ports) => openTeamRoomOn(shelfOfFiles(ports.stateFolder, ports.clock), ports)

export function openTeamRoomOn(shelf: TeamShelf, ports: TeamPorts): TeamRoom {
  let led: Led | undefined
  let opening: Promise<Led | undefined> | undefined
  /** The team of the log. */
  let kept: { readonly team: string; readonly mailTo: number } | undefined
  let joined: readonly AnyTool[] = []
  let isStarted = false
  let isTurnOpen = false
  let wake = (): void => {}

  async function open(team: string, mailTo: number, description?: string): Promise<Led> {
    const { openLed } = await import("./led.ts")
    led = await openLed({ ports, shelf, team, description, mailTo, wake: () => wake() })
    joined = [...led.tools, deleteTool(remove)]
    return led
  }

  async function create(name: string, description: string | undefined): Promise<Outcome> {
    if (kept) return refused(`You lead the team ${kept.team}. End it with TeamDelete before you make another.`)
    const team = safeName(name)
    if (team === undefined) return refused("Give the team a name with at least one letter or digit.")
    try {
      if ((await shelf.has(team)) && !(await isOurs(shelf, team, ports.sessionId)))
        return refused(`There is a team ${team} already, of another session. Choose another name.`)
      await open(team, 0, description)
    } catch (error) {
      return refused(`The team could not be made: ${error instanceof Error ? error.message : String(error)}`)
    }
    ports.record({ kind: "team", team, name: leadName, mailTo: 0 })
    return createdOutcome(team, ports.git)
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

  function take(entry: Entry): void {
    if (entry.kind === "team") kept = entry.over ? undefined : { team: entry.team, mailTo: entry.mailTo }
    if (entry.kind === "turn_start" || entry.kind === "turn_end") isTurnOpen = entry.kind === "turn_start"
    const to = entry.kind === "attachment" ? entry.data?.mailTo : undefined
    if (kept && typeof to === "number") kept = { ...kept, mailTo: to }
    led?.take(entry)
  }

  async function goOn(): Promise<Led | undefined> {
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

  const room: TeamRoom = {
    joined: () => joined,
    members: {
      async start(ask) {
        await opening
        return led ? led.startMember(ask) : failed("You lead no team. Make one with TeamCreate first.")
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
      cameOf: (call) => cameOfLeadsCall(call, { shelf, ports, kept }),
      async close() {
        await opening
        await led?.close()
      },
    },
  }
  return room
}
