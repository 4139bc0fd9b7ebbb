/** A member in a process of its own as the lead's crew has it: heard through its log, told what to do over the link, started again once if it crashes. */

import { existsSync } from "node:fs"
import type { Event } from "#agent/words/event.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import type { Link } from "#ground/team/link.ts"
import type { Followed } from "#ground/transcript/follow.ts"
import { noAgents } from "#kits/subagents/agent-state.ts"
import type { Child } from "#kits/subagents/child.ts"
import { deferred } from "#lib/deferred.ts"
import type { Result } from "#lib/result.ts"
import type { MemberPlace } from "#session/opening/member-port.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { whereItIs } from "#team/member-words.ts"
import type { LeadOrder } from "./messages.ts"
import type { WatchedProcess } from "./watched-process.ts"

/** One life of the member's process. */
export interface RunningMember {
  readonly process: WatchedProcess
  readonly link: Link
  /** The last thing it said on its standard error, if that is known. */
  readonly said: () => string | undefined
}

export interface ProcessMemberParts {
  readonly ports: Pick<TeamPorts, "ids" | "record">
  readonly lead: string
  readonly store: Pick<TeamStore, "mail" | "roster">
  readonly name: string
  readonly agentId: string
  readonly log: string
  readonly place: MemberPlace
  readonly followed: Followed
  readonly first: RunningMember
  readonly startAgain: (before: Member, log: "new" | "again") => Promise<Result<RunningMember, string>>
  readonly isClosing: () => boolean
  readonly onEnded: () => void
  readonly onFailure: (error: unknown) => void
}

type MemberPrompt = Extract<LeadOrder, { readonly kind: "prompt" }>

const mostRestarts = 1

export function processMember(parts: ProcessMemberParts): Child {
  const { name, place, followed } = parts
  const ended = deferred<void>()
  /** Those that are not in its log yet. */
  const prompts = new Map<string, MemberPrompt>()
  let now = parts.first
  let isEnding = false
  const send = (order: LeadOrder): void => now.link.send(order)

  function end(graceMs?: number): void {
    isEnding = true
    send({ kind: "end", how: parts.isClosing() ? "closes" : "leaves" })
    now.process.terminate(graceMs)
  }

  /** Undefined if it has left the team, or somebody else has its name. */
  async function seat(): Promise<Member | undefined> {
    const found = (await parts.store.roster.members()).find((each) => each.name === name)
    return found?.sessionId === parts.agentId && found.state !== "gone" ? found : undefined
  }

  async function restart(): Promise<boolean> {
    if (isEnding || parts.isClosing()) return false
    const before = await seat()
    const hasLog = existsSync(parts.log)
    // Without a log it can only begin with its prompt, which one that was resumed does not have.
    if (!before || (!hasLog && prompts.size === 0)) return false
    const again = await parts.startAgain(before, hasLog ? "again" : "new")
    if (!again.ok) return false
    const why = now.said()
    const text = `The process of ${name} ended${why === undefined ? "" : ` (${why})`}. It was started again.`
    parts.ports.record({ kind: "notice", level: "warning", text })
    now = again.value
    for (const prompt of prompts.values()) send(prompt)
    if (isEnding || parts.isClosing()) end()
    return true
  }

  async function untilEnded(): Promise<void> {
    for (let restarts = 0; ; restarts++) {
      await now.process.ended
      now.link.close()
      await now.link.closed
      if (restarts >= mostRestarts || !(await restart())) return
    }
  }

  async function* events(): AsyncGenerator<Event> {
    for await (const entry of followed.entries) {
      if (entry.kind === "prompt" || entry.kind === "queued") prompts.delete(entry.promptId)
      yield { cursor: entry.uuid, type: "entry", entry }
    }
  }

  void untilEnded()
    .catch(parts.onFailure)
    .finally(() => {
      ended.resolve()
      parts.onEnded()
    })
  return {
    worktree: place.worktree,
    events: events(),
    say(content, when) {
      if (!now.process.isAlive()) return false
      const prompt: MemberPrompt = { kind: "prompt", id: parts.ports.ids.uuid(), content, when }
      prompts.set(prompt.id, prompt)
      send(prompt)
      return true
    },
    interrupt: end,
    settled: () => ended.promise,
    async stopCommand(commandId) {
      send({ kind: "stop_command", commandId })
      return now.process.isAlive()
    },
    isBusy: () => false,
    agents: noAgents,
    async close() {
      if (now.process.isAlive()) end()
      await ended.promise
      const before = parts.isClosing() ? undefined : await seat().catch(parts.onFailure)
      if (before) await leave(parts, before, now.said()).catch(parts.onFailure)
      followed.close()
      return { commands: [], ...(await place.finish()) }
    },
  }
}

/** A process that ended without leaving the team has died: neither its tasks nor its mail wait for it. */
async function leave(
  { store, lead, name, agentId, log, place }: ProcessMemberParts,
  { pid }: Member,
  last: string | undefined,
): Promise<void> {
  const why = `Its process ended.${last === undefined ? "" : ` It said: ${last}`}`
  const where = whereItIs({ log, branch: place.worktree?.branch, folder: place.worktree?.path })
  await store.mail.send({
    from: name,
    to: lead,
    type: "message",
    text: `${name} has left the team. ${why} ${where}`,
    summary: `${name} has left`,
    key: `left ${agentId} ${pid}`,
  })
  await store.roster.leave(name, `${name} did not finish it. ${why} ${where}`)
}
