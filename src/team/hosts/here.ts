/** Members in the lead's process: sessions like those of other agents. */

import type { MemberSeat } from "#kits/subagents/child.ts"
import type { Work } from "#kits/subagents/work.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Leases } from "#team/leases.ts"
import { openMember } from "#team/member.ts"
import { planAsking } from "#team/plan-question.ts"
import type { TeamStores } from "#team/team-stores.ts"
import { hookTasks } from "#team/task-hooks.ts"
import { taskTools } from "#team/task-tools.ts"
import {
  type HostedMember,
  type HostParts,
  type MemberHost,
  type ResumeMember,
  type StartMember,
  wasLeft,
} from "./host.ts"

export interface HereParts extends HostParts {
  readonly stores: Pick<TeamStores, "plans">
  readonly leases: Leases
}

export function openHereHost(parts: HereParts): MemberHost {
  async function begin(ask: StartMember | ResumeMember): Promise<Result<HostedMember, string>> {
    const begun: { work?: Work } = {}
    const started = await startInCrew(
      parts,
      ask,
      seatFor(parts, ask, () => begun.work),
    )
    if (!started.ok) return started
    begun.work = started.value
    return ok({ fact: started.value.fact, work: started.value, entered: "here" })
  }
  return {
    start: begin,
    resume: begin,
    isIndependent: async () => false,
    publish: () => {},
    refresh: async () => {},
    attend: () => {},
    end: async () => {},
    close: () => {},
  }
}

/** As an agent in the background. */
export async function startInCrew(
  { ports }: Pick<HostParts, "ports">,
  ask: StartMember | ResumeMember,
  member: MemberSeat,
): Promise<Result<Work, string>> {
  const started = await ports.crew.start({ ...ask, resume: "before" in ask ? ask.id : undefined, member })
  if (started.ok) ports.crew.toBackground(started.value)
  return started
}

function seatFor(parts: HereParts, ask: StartMember | ResumeMember, work: () => Work | undefined): MemberSeat {
  const { ports, stores, team, lead, store } = parts
  const { name, id, definition, mailTo, plans } = ask
  const resumed = "before" in ask ? ask : undefined
  return openMember({
    ...parts,
    id,
    name,
    clock: ports.clock,
    mailTo,
    plans,
    wasLeft: resumed && wasLeft(resumed),
    costUsd: resumed?.before.costUsd ?? 0,
    askAboutPlan: planAsking({
      ports,
      plans: stores.plans(team),
      lead,
      mail: store.mail,
      agent: { id, type: definition.agentType, name },
    }),
    idleHook: () => ports.hook("TeammateIdle"),
    where: () => ({ log: ports.pathOf(id), ...placeOf(work()) }),
    taskTools(claims) {
      const tasks = hookTasks({ board: store.board, claims }, { hook: ports.hook, who: name, team })
      return taskTools(tasks.board, tasks.claims)
    },
  })
}

export const placeOf = (
  work: Pick<Work, "fact"> | undefined,
): { readonly folder?: string; readonly branch?: string } =>
  work?.fact.worktree ? { folder: work.fact.worktree.path, branch: work.fact.worktree.branch } : {}
