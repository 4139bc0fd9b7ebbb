/** Members in processes of their own, as their lead has them: started, listened to through their logs, told what to do, and missed when they die. */

import type { Relay } from "#agent/words/relay.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import { followLog } from "#ground/transcript/follow.ts"
import { type Owner, ownerOf } from "#ground/transcript/lock.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import { deferred } from "#lib/deferred.ts"
import { inOneGo } from "#kits/budget/ledger.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LeadApart, MemberProcesses, StartedProcess } from "#session/opening/apart.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { openErrands } from "./errands.ts"
import { farChild } from "./far-child.ts"
import { openFarProcess } from "./far-process.ts"
import { runOf } from "./run.ts"
import { sealedRelay } from "./sealed-relay.ts"

export interface Elsewhere {
  readonly seat: (about: FarSeat) => MemberSeat
  /** Something changed here or in the store. */
  readonly look: () => void
  /** Hands down what is in force now, if that changed. */
  readonly handDown: () => void
  readonly close: () => void
}

export interface FarSeat {
  readonly name: string
  readonly mailTo: number
  readonly plans: boolean
  /** As the store has it, if it was there before. */
  readonly before: Member | undefined
}

export interface ElsewhereParts {
  readonly apart: LeadApart
  readonly processes: MemberProcesses
  readonly ports: TeamPorts
  readonly team: string
  readonly lead: string
  readonly store: TeamStore
  /** As it is kept, without a seal. */
  readonly relay: Relay
  readonly me: Owner & { readonly host: string }
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

export function openElsewhere(parts: ElsewhereParts): Elsewhere {
  const { apart, ports, team, store, me, onFailure } = parts
  // Only this process and those it starts know it.
  const secret = `${ports.ids.uuid()}${ports.ids.uuid()}`
  const relay = sealedRelay(parts.relay, secret)
  const errands = openErrands({ relay, apart, ask: ports.ask, record: ports.record, onFailure })
  const states = new Map<string, Member["state"]>()
  let last = ""

  const plainHanded = (): JsonObject => {
    const value: unknown = JSON.parse(JSON.stringify(apart.handed()))
    return isObject(value) ? value : {}
  }
  function handDown(): void {
    const handed = plainHanded()
    const text = JSON.stringify(handed)
    if (text === last) return
    last = text
    relay.handDown(handed)
  }
  async function lookAtStates(): Promise<void> {
    for (const { name, state } of await store.roster.members()) states.set(name, state)
  }

  apart.ledger.share({
    inTurn: inOneGo((work) => relay.spending.inTurn(parts.lead, work)),
    settled: (now) => relay.spending.inTurn(parts.lead, now),
  })
  const unhear = apart.onRules(handDown)
  handDown()

  function start(about: FarSeat, session: JsonObject): Promise<Result<StartedProcess, string>> {
    const { name, mailTo, plans, before } = about
    return parts.processes.start({
      team,
      name,
      opening: {
        team,
        name,
        mailTo,
        plans,
        ...given("wasLeft", before && (before.state === "idle" ? "idle" : "working")),
        costUsd: before?.costUsd ?? 0,
        secret,
        handed: plainHanded(),
        session,
      },
    })
  }

  return {
    handDown,
    look() {
      errands.look()
      lookAtStates().catch(onFailure)
    },
    seat(about) {
      const over = deferred<void>()
      return {
        team,
        name: about.name,
        mailTo: about.mailTo,
        plans: about.plans,
        kits: [],
        over: over.promise,
        isIdle: () => states.get(about.name) === "idle",
        isPlanning: () => false,
        async spawn(ask) {
          const log = ports.pathOf(ask.agentId)
          if (log === undefined) return failed("This session is not saved.")
          const place = await apart.placeFor(ask)
          if (!place.ok) return place
          const followed = followLog(log, ask.log === "new" ? "beginning" : "end")
          const started = await start(about, apart.openingFor(ask, place.value.worktree))
          if (started.ok) {
            const { agentId } = ask
            const { pid, said } = started.value
            const process = openFarProcess(ownerOf(pid), { me, clock: ports.clock })
            void process.ended.then(() => over.resolve())
            const run = runOf(agentId, process.owner)
            return ok(
              farChild({
                ...parts,
                relay,
                name: about.name,
                agentId,
                run,
                log,
                place: place.value,
                followed,
                said,
                process,
              }),
            )
          }
          followed.close()
          await place.value.finish()
          return started
        },
      }
    },
    close() {
      unhear()
      errands.close()
      apart.ledger.share(undefined)
    },
  }
}
