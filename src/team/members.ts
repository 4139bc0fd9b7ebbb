/** The members that run in this process: started by a call of the lead, and again when the lead is resumed. */

import type { Member, TeamStore } from "#agent/words/team.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import type { MemberAsk, StartedMember } from "#kits/subagents/members.ts"
import type { Work } from "#kits/subagents/work.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { Leases } from "./leases.ts"
import { untilGone } from "./far-process.ts"
import { memberBrief } from "./member-words.ts"
import { openMember } from "./member.ts"
import type { Elsewhere } from "./elsewhere.ts"
import { isTeamName } from "./place.ts"
import { planAsking } from "./plan-question.ts"
import type { Remote } from "./remote.ts"
import type { TeamShelf } from "./shelf.ts"
import { hookTasks } from "./task-hooks.ts"
import { taskTools } from "./task-tools.ts"

export interface TeamMembers {
  readonly start: (ask: MemberAsk) => Promise<Result<StartedMember, string>>
  readonly startAgain: () => Promise<void>
  /** Resolves when all have ended. */
  readonly stopAll: () => Promise<void>
}

export interface TeamMembersParts {
  readonly ports: TeamPorts
  readonly shelf: Pick<TeamShelf, "plans" | "guarded">
  readonly team: string
  readonly lead: string
  readonly store: TeamStore
  readonly leases: Leases
  readonly me: { readonly pid: number; readonly start: string; readonly host: string }
  /** Present where members run in processes of their own. */
  readonly elsewhere: Elsewhere | undefined
  /** Present where members are sessions of their own. */
  readonly remote: Remote | undefined
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

/** What a member is started with, new or again. */
interface Begin {
  readonly name: string
  readonly id: string
  readonly definition: AgentDefinition
  readonly description: string
  readonly prompt: string | undefined
  readonly model: string | undefined
  readonly isolation: "worktree" | undefined
  readonly plans: boolean
  readonly before: Member | undefined
  readonly mailTo: number
  readonly callId: string
  readonly within: string | undefined
  readonly signal: AbortSignal
}

const unending = new AbortController().signal

export function openMembers(parts: TeamMembersParts): TeamMembers {
  const { ports, team, lead, store, me } = parts
  const { mail, roster } = store
  const works = new Set<Work>()

  async function begin(ask: Begin): Promise<Result<Work, string>> {
    const { name, id, definition, before } = ask
    const begun: { work?: Work } = {}
    const seat = parts.elsewhere?.seat(ask) ?? seatHere(parts, ask, () => begun.work)
    // The process of an earlier lead finishes its step and ends; nobody works beside it on the same log.
    if (before && parts.shelf.guarded === "here") await untilGone(before, { me, clock: ports.clock })
    const entered = {
      name,
      sessionId: id,
      agentType: definition.agentType,
      ...given("color", definition.color),
      callId: ask.callId,
      ...me,
    }
    const joined = await roster.join({
      ...entered,
      ...given("folder", before?.folder),
      ...given("branch", before?.branch),
    })
    if (!joined.ok) return failed(`${name} is in the team already. Choose another name.`)
    const started = await ports.crew.start({
      ...ask,
      definition: definitionOf(parts, ask),
      resume: before && id,
      member: seat,
    })
    if (!started.ok) {
      await roster.leave(name, `${name} could not be started.`)
      return started
    }
    const work = started.value
    begun.work = work
    works.add(work)
    void work.ended.then(() => works.delete(work))
    ports.crew.toBackground(work)
    // A process of its own enters itself, once it is up.
    if (!parts.elsewhere) await roster.join({ ...entered, ...placeOf(work), folder: placeOf(work).folder ?? ports.cwd })
    return ok(work)
  }

  return {
    async start(ask) {
      const { name, definition } = ask
      if (ask.team !== team)
        return failed(
          ask.team === undefined ? `Name your team: team_name ${team}.` : `Your team is ${team}, not ${ask.team}.`,
        )
      if (name === undefined || !isTeamName(name) || [lead, "user"].includes(name.toLowerCase()))
        return failed("Give it a name of letters, digits, dots, dashes and underscores, other than lead and user.")
      const [inBox, members] = await Promise.all([mail.after(name, 0), roster.members()])
      if (members.some((each) => each.name === name && each.state !== "gone"))
        return failed(`${name} is in the team already. Write to ${name} with SendMessage, or choose another name.`)
      const clones = parts.remote?.clones
      const shares = sharing(ask, clones ? { ...ports, noWorktree: () => undefined } : ports)
      const id = ports.ids.uuid().slice(0, 8)
      const newcomer = {
        ...ask,
        name,
        id,
        definition,
        isolation: shares === undefined ? "worktree" : undefined,
        before: undefined,
        mailTo: inBox.at(-1)?.seq ?? 0,
      } as const
      // Nobody else has the folder of a clone.
      const remote = clones && shares !== undefined ? undefined : parts.remote
      const begun = remote ? await beginRemote(parts, remote, newcomer) : await begin(newcomer)
      if (!begun.ok) return begun
      return ok(startedMember(begun.value, { name, team, shares, notApart: ports.notApart }))
    },
    async startAgain() {
      const waiting = (await roster.members()).filter(({ name, state }) => name !== lead && state !== "gone")
      for (const before of waiting) {
        const { name, sessionId: id, agentType, branch } = before
        if (await parts.remote?.has(id)) continue
        const definition = ports.definitions.find((each) => each.agentType === agentType)
        const fact = ports.crew.look(id)?.fact
        const begun =
          definition && fact
            ? await begin({
                name,
                id,
                definition,
                description: fact.description,
                prompt: undefined,
                model: lastModel(ports, id),
                isolation: branch === undefined ? undefined : "worktree",
                plans: isPlanning(ports, id),
                before,
                mailTo: 0,
                callId: fact.callId,
                within: fact.within,
                signal: unending,
              })
            : failed(`There is no agent ${agentType ?? ""} any more.`)
        if (!begun.ok) {
          await roster.leave(name, `${name} could not be started again. ${begun.failure}`)
          ports.record({
            kind: "notice",
            level: "warning",
            text: `${name} could not be started again. ${begun.failure}`,
          })
        }
      }
    },
    async stopAll() {
      const open = [...works]
      for (const { fact } of open) ports.crew.stop(fact.agentId)
      await Promise.all(open.map(({ ended }) => ended))
    },
  }
}

/** It enters itself again where it runs. */
async function beginRemote(
  parts: TeamMembersParts,
  remote: Remote,
  ask: Begin & { readonly prompt: string },
): Promise<Result<Begun, string>> {
  const { store, me } = parts
  const { name, id: agentId, definition, callId, description } = ask
  const { agentType, color } = definition
  const joined = await store.roster.join({
    name,
    sessionId: agentId,
    agentType,
    ...given("color", color),
    callId,
    ...me,
  })
  if (!joined.ok) return failed(`${name} is in the team already. Choose another name.`)
  const started = await remote.start({ ...ask, definition: definitionOf(parts, ask, remote.clones && "clone") })
  if (!started.ok) {
    await store.roster.leave(name, `${name} could not be started.`)
    return started
  }
  const fact = { agentId, agentType, callId, description, state: "background" } as const
  const { worktree, branch } = started.value
  return ok({ fact: { ...fact, ...given("worktree", worktree) }, branch })
}

/** `branch`: of its clone, if it has one. */
type Begun = Pick<Work, "fact"> & { readonly branch?: string | undefined }

const definitionOf = (
  { team, lead }: TeamMembersParts,
  { definition, name, plans, isolation }: Begin,
  place: "worktree" | "clone" = "worktree",
): AgentDefinition => asMember(definition, { name, team, lead, plans, apart: isolation === "worktree" && place })

function seatHere(
  parts: TeamMembersParts,
  { name, id, definition, before, mailTo, plans }: Begin,
  work: () => Work | undefined,
): MemberSeat {
  const { ports, shelf, team, lead, store } = parts
  return openMember({
    ...parts,
    id,
    name,
    clock: ports.clock,
    mailTo,
    plans,
    wasLeft: before && (before.state === "idle" ? "idle" : "working"),
    costUsd: before?.costUsd ?? 0,
    askAboutPlan: planAsking({
      ports,
      plans: shelf.plans(team),
      lead,
      mail: store.mail,
      agent: { id, type: definition.agentType, name },
    }),
    idleHook: () => ports.hook("TeammateIdle"),
    where: () => ({ log: ports.pathOf(id), ...placeOf(work()) }),
    taskTools(holding) {
      const tasks = hookTasks({ board: store.board, holding }, { hook: ports.hook, who: name, team })
      return taskTools(tasks.board, tasks.holding)
    },
  })
}

const placeOf = (work: Work | undefined): { readonly folder?: string; readonly branch?: string } =>
  work?.fact.worktree ? { folder: work.fact.worktree.path, branch: work.fact.worktree.branch } : {}

/** Its conversation is its own, and what a member is stays in its system prompt. */
function asMember(
  { forkContext: _fork, ...definition }: AgentDefinition,
  who: Parameters<typeof memberBrief>[0],
): AgentDefinition {
  return { ...definition, systemPrompt: `${definition.systemPrompt}\n\n${memberBrief(who)}` }
}

/** Why it shares the lead's folder; undefined if it gets a worktree of its own. */
function sharing(
  { isolation, definition }: MemberAsk,
  { shares, noWorktree: noWorktreeWhy }: Pick<TeamPorts, "shares" | "noWorktree">,
): string | undefined {
  const noWorktree = noWorktreeWhy()
  if (isolation === "shared") return "as you asked"
  if (shares === true && isolation === undefined) return "as the user's settings say"
  if (definition.onlyReads && isolation === undefined) return "because it only reads"
  return noWorktree === undefined || isolation === "worktree" ? undefined : `because ${lowered(noWorktree)}`
}

const lowered = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "")

function startedMember(
  { fact, branch }: Begun,
  {
    name,
    team,
    shares,
    notApart,
  }: {
    readonly name: string
    readonly team: string
    readonly shares: string | undefined
    readonly notApart: string | undefined
  },
): StartedMember {
  const { agentId, agentType, worktree } = fact
  const where = worktree
    ? `It works on the branch ${worktree.branch}, in ${worktree.path}.`
    : branch === undefined
      ? `It shares your folder, ${shares ?? "because it has no worktree"}.`
      : `It works on the branch ${branch}, in a clone of its own that begins with what you have committed. The branch is brought up to date here before you read its messages.`
  return {
    text: `${name} is in the team ${team} now (${agentType} agent ${agentId}). ${where} Its reports and messages come to you by themselves; write to it with SendMessage.`,
    shown: `${name} joined ${team}${notApart === undefined ? "" : `, in this process because ${notApart}`}`,
    data: {
      status: "teammate_spawned",
      agentId,
      agentType,
      name,
      team_name: team,
      ...(worktree && { worktree: { ...worktree } }),
      ...given("branch", branch),
    },
  }
}

function isPlanning({ entriesOf }: Pick<TeamPorts, "entriesOf">, id: string): boolean {
  const entry = entriesOf(id)?.findLast(({ kind }) => kind === "team")
  return entry?.kind === "team" && entry.plans === true
}

/** The model that it used last, whoever had chosen it. */
function lastModel({ entriesOf }: Pick<TeamPorts, "entriesOf">, id: string): string | undefined {
  const entry = entriesOf(id)?.findLast(({ kind }) => kind === "model")
  return entry?.kind === "model" ? entry.model : undefined
}
