/** Members in processes or panes of their own: each is connected with its lead by a private link. */

import { hasUnread, type Member } from "#agent/words/team.ts"
import { listenForMember } from "#ground/team/link.ts"
import { followLog } from "#ground/transcript/follow.ts"
import { ownerOf } from "#ground/transcript/lock.ts"
import type { Child, MemberSeat, SpawnAsk } from "#kits/subagents/child.ts"
import { deferred } from "#lib/deferred.ts"
import { optional } from "#lib/optional.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { later } from "#lib/later.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LeadPort, MemberPlace, MemberProcesses } from "#session/opening/member-port.ts"
import { startInCrew } from "./here.ts"
import {
  type HostedMember,
  type HostParts,
  type MemberHost,
  type ResumeMember,
  type StartMember,
  wasLeft,
} from "./host.ts"
import type { LeadOrder } from "./messages.ts"
import { processMember, type RunningMember } from "./process-member.ts"
import { type MemberServer, serveMember } from "./serve-member.ts"
import { watchProcess } from "./watched-process.ts"

export interface ProcessParts extends HostParts {
  readonly port: LeadPort
  readonly processes: MemberProcesses
}

type MemberStart = StartMember | ResumeMember

export function openProcessHost(parts: ProcessParts): MemberHost {
  const { port, ports, team, store, onFailure } = parts
  const states = new Map<string, Member["state"]>()
  const links = new Set<RunningMember["link"]>()
  let last = ""

  function publish(): void {
    const text = JSON.stringify(port.inherited())
    if (text === last) return
    last = text
    for (const link of links) link.send({ kind: "inherited", inherited: port.inherited() } satisfies LeadOrder)
  }

  /** One that has mail to read is about to work. */
  async function refresh(): Promise<void> {
    const moment = await store.moment()
    for (const { name, state } of moment.members)
      states.set(name, state === "idle" && hasUnread(name, moment) ? "working" : state)
  }

  async function launch(
    { name, mailTo, plans }: MemberStart,
    session: JsonObject,
    resumed: Pick<ResumeMember, "before" | "prompt"> | undefined,
  ): Promise<Result<RunningMember, string>> {
    const secret = `${ports.ids.uuid()}${ports.ids.uuid()}`
    const server = later<MemberServer>("Who answers a member")
    const listening = await listenForMember(secret, (message) => server.get().receive(message))
    if (!listening.ok) return failed(`No connection to its process could be prepared: ${listening.failure}.`)
    const link = listening.value
    const { ask, record } = ports
    server.settle(serveMember({ ...parts, ask, record, member: name, send: link.send }))
    const seat = { team, name, mailTo, plans, ...optional("wasLeft", resumed && wasLeft(resumed)) }
    const opening = {
      ...seat,
      costUsd: resumed?.before.costUsd ?? 0,
      link: { path: link.path, secret },
      inherited: objectIn(JSON.stringify(port.inherited())) ?? {},
      session,
    }
    const started = await parts.processes.start({ team, name, opening })
    if (!started.ok) {
      link.close()
      return started
    }
    // What changed since the opening was written comes right after the connection.
    links.add(link)
    link.send({ kind: "inherited", inherited: port.inherited() } satisfies LeadOrder)
    void link.closed.then(() => {
      links.delete(link)
      server.get().close()
    })
    const { pid, said } = started.value
    return ok({ link, said, process: watchProcess(ownerOf(pid), { me: parts.me, clock: ports.clock }) })
  }

  async function spawn(ask: MemberStart, asked: SpawnAsk, onEnded: () => void): Promise<Result<Child, string>> {
    const log = ports.pathOf(asked.agentId)
    if (log === undefined) return failed("This session is not saved.")
    const place = await port.placeFor(asked)
    if (!place.ok) return place
    const followed = followLog(log, asked.log === "new" ? "beginning" : "end")
    const open = (how: SpawnAsk["log"], { worktree }: MemberPlace): JsonObject =>
      port.openingFor({ ...asked, log: how }, worktree)
    const first = await launch(ask, open(asked.log, place.value), "before" in ask ? ask : undefined)
    if (!first.ok) {
      followed.close()
      await place.value.finish()
      return first
    }
    const startAgain = (before: Member, how: "new" | "again"): Promise<Result<RunningMember, string>> =>
      launch(ask, open(how, place.value), how === "new" ? undefined : { before, prompt: undefined })
    const { name, id: agentId } = ask
    return ok(
      processMember({
        ...parts,
        name,
        agentId,
        log,
        place: place.value,
        followed,
        first: first.value,
        startAgain,
        onEnded,
      }),
    )
  }

  async function begin(ask: MemberStart): Promise<Result<HostedMember, string>> {
    const over = deferred<void>()
    const seat: MemberSeat = {
      team,
      name: ask.name,
      mailTo: ask.mailTo,
      plans: ask.plans,
      kits: [],
      over: over.promise,
      isIdle: () => states.get(ask.name) === "idle",
      isPlanning: () => false,
      spawn: (asked) => spawn(ask, asked, over.resolve),
    }
    const started = await startInCrew(parts, ask, seat)
    return started.ok ? ok({ fact: started.value.fact, work: started.value, entered: "session" }) : started
  }

  const unhear = port.onRules(publish)
  publish()
  return {
    start: begin,
    resume(ask) {
      port.bookUnreported(ask.id, `${ask.name} ${ask.id}`)
      return begin(ask)
    },
    isIndependent: async () => false,
    publish,
    refresh,
    attend: () => void refresh().catch(onFailure),
    end: async () => {},
    close: unhear,
  }
}
