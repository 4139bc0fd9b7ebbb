/** Starts members, resumes them with their lead and stops them, wherever they run. See decision 109. */

import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { MemberAsk, StartedMember } from "#kits/subagents/members.ts"
import type { Work } from "#kits/subagents/work.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import { placeOf } from "./hosts/here.ts"
import type { HostedMember, HostParts, MemberHost, ResumeMember, StartMember } from "./hosts/host.ts"
import { untilGone } from "./hosts/watched-process.ts"
import { memberBrief } from "./member-words.ts"
import { isTeamName } from "./place.ts"
import type { TeamStores } from "./team-stores.ts"

export interface TeamMembers {
  readonly start: (ask: MemberAsk) => Promise<Result<StartedMember, string>>
  readonly resume: () => Promise<void>
  /** Continues one that has left with its conversation, if there is one of that name. The failure is a sentence. */
  readonly bringBack: (name: string) => Promise<Result<void, string>>
  /** Resolves when all that depend on this process have ended. */
  readonly stop: () => Promise<void>
}

export interface TeamMembersParts extends HostParts {
  readonly stores: Pick<TeamStores, "guarded">
  readonly host: MemberHost
}

const unending = new AbortController().signal

export function openMembers(parts: TeamMembersParts): TeamMembers {
  const { ports, team, lead, store, me, host } = parts
  const { mail, roster } = store
  const works = new Set<Work>()

  async function begin(
    { name, id, definition, callId, ...ask }: Omit<StartMember, "prompt">,
    start: (definition: AgentDefinition) => Promise<Result<HostedMember, string>>,
    before?: Pick<ResumeMember["before"], "folder" | "branch">,
  ): Promise<Result<HostedMember, string>> {
    const entered = {
      name,
      sessionId: id,
      agentType: definition.agentType,
      ...optional("color", definition.color),
      callId,
      ...me,
    }
    const joined = await roster.join({
      ...entered,
      ...optional("folder", before?.folder),
      ...optional("branch", before?.branch),
    })
    if (!joined.ok) return failed(`${name} is in the team already. Choose another name.`)
    const place = ask.isolation === "worktree" && (host.clones ? "clone" : "worktree")
    const started = await start(asMember(definition, { name, team, lead, plans: ask.plans, apart: place }))
    if (!started.ok) {
      await roster.leave(name, `${name} could not be started.`)
      return started
    }
    const { work } = started.value
    if (work) {
      works.add(work)
      void work.ended.then(() => works.delete(work))
    }
    if (started.value.entered === "here")
      await roster.join({ ...entered, folder: ports.cwd, ...placeOf(started.value) })
    return started
  }

  /** One whose log was never begun begins now. */
  function continueFrom(ask: ResumeMember): Promise<Result<HostedMember, string>> {
    const { before, prompt, ...rest } = ask
    const isNew = prompt !== undefined && !ports.entriesOf(ask.id)
    const newcomer = isNew ? { ...rest, prompt } : undefined
    return begin(
      rest,
      (definition) => (newcomer ? host.start({ ...newcomer, definition }) : host.resume({ ...ask, definition })),
      before,
    )
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
      const shares = sharing(ask, host.clones ? { ...ports, noWorktree: () => undefined } : ports)
      const newcomer: StartMember = {
        ...ask,
        name,
        id: ports.ids.uuid().slice(0, 8),
        definition,
        isolation: shares === undefined ? "worktree" : undefined,
        mailTo: inBox.at(-1)?.seq ?? 0,
      }
      const begun = await begin(newcomer, (as) => host.start({ ...newcomer, definition: as }))
      if (!begun.ok) return begun
      return ok(startedMember(begun.value, { name, team, shares, whyInProcess: ports.whyInProcess }))
    },
    async resume() {
      const waiting = (await roster.members()).filter(({ name, state }) => name !== lead && state !== "gone")
      for (const before of waiting) {
        const { name, sessionId: id } = before
        if (await host.isIndependent(id)) continue
        const ask = resumeOf(ports, before)
        // The process of an earlier lead finishes its step and ends; nobody works beside it on the same log.
        if (ask.ok && parts.stores.guarded === "here") await untilGone(before, { me, clock: ports.clock })
        const begun = ask.ok ? await continueFrom(ask.value) : ask
        if (begun.ok) continue
        const text = `${name} could not be started again. ${begun.failure}`
        await roster.leave(name, text)
        ports.record({ kind: "notice", level: "warning", text })
      }
    },
    async bringBack(named) {
      const left = (await roster.members()).find(
        ({ name, state }) => state === "gone" && name.toLowerCase() === named.toLowerCase(),
      )
      if (!left) return ok(undefined)
      // Its process may still be ending.
      await [...works].find(({ fact }) => fact.agentId === left.sessionId)?.ended
      // What it had to report, it has reported.
      const before = { ...left, state: "idle" as const }
      const ask = resumeOf(ports, before)
      const begun = ask.ok ? await continueFrom(ask.value) : ask
      return begun.ok ? ok(undefined) : begun
    },
    async stop() {
      const open = [...works]
      for (const { fact } of open) ports.crew.stop(fact.agentId)
      await Promise.all(open.map(({ ended }) => ended))
    },
  }
}

function resumeOf(ports: TeamPorts, before: ResumeMember["before"]): Result<ResumeMember, string> {
  const { name, sessionId: id, agentType, branch } = before
  const definition = ports.definitions.find((each) => each.agentType === agentType)
  const fact = ports.crew.stateOf(id)?.fact
  if (!definition || !fact) return failed(`There is no agent ${agentType ?? ""} any more.`)
  const prompt = isPrompted(ports, id) ? undefined : fact.prompt
  return ok({
    name,
    id,
    definition,
    prompt,
    description: fact.description,
    model: lastModel(ports, id),
    isolation: branch === undefined ? undefined : "worktree",
    plans: isPlanning(ports, id),
    before,
    mailTo: 0,
    callId: fact.callId,
    within: fact.within,
    signal: unending,
  })
}

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
  { fact, branch }: HostedMember,
  {
    name,
    team,
    shares,
    whyInProcess,
  }: {
    readonly name: string
    readonly team: string
    readonly shares: string | undefined
    readonly whyInProcess: string | undefined
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
    shown: `${name} joined ${team}${whyInProcess === undefined ? "" : `, in this process because ${whyInProcess}`}`,
    data: {
      status: "teammate_spawned",
      agentId,
      agentType,
      name,
      team_name: team,
      ...(worktree && { worktree: { ...worktree } }),
      ...optional("branch", branch),
    },
  }
}

/** Whether the work that it was started for is in its log: the program may have ended before. */
const isPrompted = ({ entriesOf }: Pick<TeamPorts, "entriesOf">, id: string): boolean =>
  entriesOf(id)?.some(({ kind }) => kind === "prompt" || kind === "queued") === true

function isPlanning({ entriesOf }: Pick<TeamPorts, "entriesOf">, id: string): boolean {
  const entry = entriesOf(id)?.findLast(({ kind }) => kind === "team")
  return entry?.kind === "team" && entry.plans === true
}

/** The model that it used last, whoever had chosen it. */
function lastModel({ entriesOf }: Pick<TeamPorts, "entriesOf">, id: string): string | undefined {
  const entry = entriesOf(id)?.findLast(({ kind }) => kind === "model")
  return entry?.kind === "model" ? entry.model : undefined
}
