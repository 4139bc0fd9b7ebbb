/** A member in a process of its own as the crew of its lead holds it: heard through its log, told what to do by orders, missed when it dies. */

import type { Event } from "#agent/words/event.ts"
import type { Relay } from "#agent/words/relay.ts"
import type { TeamStore } from "#agent/words/team.ts"
import type { Followed } from "#ground/transcript/follow.ts"
import { noAgents } from "#kits/subagents/agent-state.ts"
import type { Child } from "#kits/subagents/child.ts"
import type { MemberPlace, StartedProcess } from "#session/opening/apart.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { FarProcess } from "./far-process.ts"
import { whereItIs } from "./member-words.ts"

export interface FarChildParts {
  readonly ports: Pick<TeamPorts, "ids">
  readonly lead: string
  readonly store: Pick<TeamStore, "mail" | "roster">
  readonly relay: Relay
  readonly name: string
  readonly agentId: string
  /** Of its process. */
  readonly run: string
  readonly log: string
  readonly place: MemberPlace
  readonly followed: Followed
  readonly process: FarProcess
  readonly said: StartedProcess["said"]
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

export function farChild(parts: FarChildParts): Child {
  const { relay, run, process, place, followed } = parts
  const end = (graceMs?: number): void => {
    relay.order(run, { kind: parts.isClosing() ? "close" : "stop" })
    process.mustEnd(graceMs)
  }
  return {
    worktree: place.worktree,
    events: eventsOf(followed),
    say(content, when) {
      if (!process.isAlive()) return false
      relay.order(run, { kind: "say", id: parts.ports.ids.uuid(), content: content as never, when })
      return true
    },
    interrupt: end,
    settled: () => process.ended,
    async stopCommand(commandId) {
      relay.order(run, { kind: "stop_command", commandId })
      return process.isAlive()
    },
    isBusy: () => false,
    agents: noAgents,
    async close() {
      if (process.isAlive()) end()
      await process.ended
      relay.spending.release(run)
      await missed(parts).catch(parts.onFailure)
      followed.close()
      return { commands: [], ...(await place.finish()) }
    },
  }
}

/** A process that ended without leaving the team has died: neither its tasks nor its mail wait for it. */
async function missed({
  relay,
  store,
  lead,
  name,
  agentId,
  log,
  place,
  said,
  isClosing,
}: FarChildParts): Promise<void> {
  if (isClosing()) return
  const member = (await store.roster.members()).find((each) => each.name === name)
  if (member?.sessionId !== agentId) return
  for (const ask of relay.asks()) if (ask.member === name && ask.kind !== "spent") relay.withdraw(ask.id)
  if (member.state === "gone") return
  const last = said()
  const why = `Its process ended.${last === undefined ? "" : ` It said: ${last}`}`
  const where = whereItIs({ log, branch: place.worktree?.branch, folder: place.worktree?.path })
  await store.mail.send({
    from: name,
    to: lead,
    type: "message",
    text: `${name} has left the team. ${why} ${where}`,
    summary: `${name} has left`,
    key: `left ${agentId} ${member.pid}`,
  })
  await store.roster.leave(name, `${name} did not finish it. ${why} ${where}`)
}

async function* eventsOf({ entries }: Followed): AsyncGenerator<Event> {
  for await (const entry of entries) yield { cursor: entry.uuid, type: "entry", entry }
}
