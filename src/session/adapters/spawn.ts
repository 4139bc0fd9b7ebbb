/** Starts an agent as a session of its own: the same loop, with no more rights than its parent hands down. */

import { type Ledger, openLedger } from "#kits/budget/ledger.ts"
import type { Prices } from "#kits/budget/prices.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import type { Lent, TurnScope } from "#kits/commands/turn.ts"
import type { Dispatcher } from "#kits/hooks/dispatch.ts"
import { withNotes } from "#kits/subagents/memory.ts"
import { addedIn } from "#kits/compaction/added.ts"
import type { Conversation } from "#kits/context/assemble.ts"
import { join, relative } from "node:path"
import type { ChildFact, ChildWorktree } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import { loadLog } from "#ground/transcript/load.ts"
import type { SessionLogs } from "#ground/transcript/session-logs.ts"
import type { Worktrees } from "#ground/workspace/git/worktree.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import type { Child, ChildRemains, SpawnAsk, SpawnPorts } from "#kits/subagents/child.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { agentPlace, findAgentPlace, hasAgents } from "#ground/transcript/agent-place.ts"
import type { MemberPlace } from "#session/opening/member-port.ts"
import type { ChildChoice, ParentPorts, SeparateSession } from "#session/opening/child.ts"
import { denialsFrom, ledgerOf, modelOf, rulesApart } from "#session/opening/hand-down.ts"
import { notesOf } from "./agent-notes.ts"
import type { Ground } from "./ground.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { Manner } from "#session/opening/manner.ts"
import type { ExtensionChoice, SessionOptions } from "#session/opening/options.ts"
import type { HeldSession } from "#session/port/session.ts"
import type { SideSpent } from "#session/request/side-request.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface SpawnerParts {
  readonly options: SessionOptions
  readonly lineage: Pick<Lineage, "depth">
  readonly ground: Ground
  /** Passed in, because opening a session needs the spawner. */
  readonly open: (options: SessionOptions) => Promise<Result<HeldSession, { readonly message: string }>>
  /** Called when an agent is started; the parent's kits exist by then. */
  readonly parent: () => ParentPorts
  readonly state: () => SessionState
  readonly isKept: boolean
  /** What an agent spends is recorded in the parent, too. */
  readonly onSpent: (spent: SideSpent) => void
  readonly messages: () => readonly Message[]
  readonly sourceOf: Conversation["sourceOf"]
  readonly scope: Pick<TurnScope, "lent">
  /** Those of the session; undefined where none are configured. */
  readonly hooks: () => Pick<Dispatcher, "has" | "fire"> | undefined
}

export function openSpawner(parts: SpawnerParts): SpawnPorts {
  const { options, ground } = parts
  const sessionLogs = agentLogs(options.sessionLogs, ground.sessionFolder)
  const pathOf = (agentId: string): string | undefined =>
    parts.isKept ? agentPlace(ground.sessionFolder, agentId)?.log : undefined
  const entriesOf = (agentId: string): readonly Entry[] | undefined => {
    const path = parts.isKept ? findAgentPlace(ground.sessionFolder, agentId)?.log : undefined
    const loaded = path === undefined ? undefined : loadLog(path, { torn: "leave" })
    return loaded?.ok ? loaded.value.entries : undefined
  }

  return {
    pathOf,
    entriesOf,
    noWorktree: () => (parts.hooks()?.has("WorktreeCreate") ? undefined : noWorktreeWords(parts)),
    agentsOf(agentId) {
      const place = parts.isKept ? agentPlace(ground.sessionFolder, agentId) : undefined
      // Most agents start none, and their logs need not be read to know that.
      return place && hasAgents(place.folder) ? lastFacts(entriesOf(agentId) ?? []) : []
    },
    async spawn(ask) {
      if (ask.log !== "new" && entriesOf(ask.agentId) === undefined) return failed(goneWords)
      const place = await openMemberPlace(parts, ask)
      if (!place.ok) return place
      const opened = await parts.open(optionsOf(childParts(parts, ask), ask, sessionLogs, place.value.worktree))
      if (!opened.ok) {
        await place.value.finish()
        return failed(opened.failure.message)
      }
      return ok(childOf(opened.value, place.value))
    },
  }
}

/** Where an agent works: a worktree of its own, if it asks for one. */
export async function openMemberPlace(
  parts: Pick<SpawnerParts, "options" | "ground" | "hooks">,
  ask: Pick<SpawnAsk, "agentId" | "isolation" | "signal" | "log" | "member">,
): Promise<Result<MemberPlace, string>> {
  const hooks = parts.hooks()
  if (ask.isolation !== undefined && hooks?.has("WorktreeCreate"))
    return (await import("./hook-worktree.ts")).placeByHook(
      { ...parts.ground, hooks, cwd: parts.options.place.cwd },
      ask,
    )
  const worktrees = ask.isolation === undefined ? undefined : await openAgentWorktrees(parts)
  if (typeof worktrees === "string") return failed(worktrees)
  const made = await worktrees?.open(await worktreeName(worktrees, ask), ask.signal)
  if (made && !made.ok) return made
  const worktree = made?.value
  return ok({
    worktree,
    async finish() {
      const finished = worktree && (await worktrees?.finish(worktree))
      return {
        worktree: finished?.ok && finished.value === "removed" ? undefined : worktree,
        problems: finished && !finished.ok ? [finished.failure] : [],
      }
    },
  })
}

/** A member's worktree and branch say whose they are. What another member of that name left is not taken over. */
async function worktreeName(
  worktrees: Worktrees,
  { agentId, member, log, signal }: Pick<SpawnAsk, "agentId" | "member" | "log" | "signal">,
): Promise<string> {
  if (!member) return agentId
  // Git refuses some names with dots.
  const name = `${member.team}-${member.name}`.replaceAll(".", "-")
  const own = `${name}-${agentId}`
  if (log === "new") return (await worktrees.has(name, signal)) ? own : name
  for (const kept of [agentId, own]) if (await worktrees.has(kept, signal)) return kept
  return name
}

/** What the options of an agent are made from. */
export interface ChildParts extends Pick<SpawnerParts, "options" | "isKept" | "onSpent"> {
  readonly depth: number
  readonly ports: ParentPorts
  readonly state: Pick<SessionState, "model" | "thinking">
  readonly addedFolders: readonly string[]
  /** The root of the repository that the session works in. */
  readonly repository: string | undefined
  readonly begins?: Pick<ChildChoice, "messages" | "added"> | undefined
  readonly separate?: SeparateSession | undefined
  /** Of the command or skill that it carries out. */
  readonly lent?: Lent | undefined
}

function childParts(
  { options, lineage, parent, state, onSpent, messages, sourceOf, isKept, ground, scope }: SpawnerParts,
  { definition, log, callId }: SpawnAsk,
): ChildParts {
  const before = definition.forkContext && log === "new" ? messagesBefore(messages(), callId) : undefined
  return {
    options,
    isKept,
    onSpent,
    depth: lineage.depth + 1,
    ports: parent(),
    state: state(),
    addedFolders: ground.folders.added,
    repository: ground.repository?.root,
    begins: before && { messages: before, added: addedIn(before, sourceOf) },
    lent: scope.lent(callId),
  }
}

function lastFacts(entries: readonly Entry[]): readonly ChildFact[] {
  const facts = new Map<string, ChildFact>()
  for (const entry of entries) {
    if (entry.kind !== "child") continue
    const { kind: _kind, uuid: _uuid, parentUuid: _parent, at: _at, ...fact } = entry
    facts.set(fact.agentId, fact)
  }
  return [...facts.values()]
}

const goneWords = "What it did before is not kept here: the session is a copy, or was cleaned up. Start a new one."

/** Agent logs lie in their parent's session folder. */
export const agentLogs = (sessionLogs: SessionLogs, sessionFolder: string): SessionLogs => ({
  ...sessionLogs,
  logPath: (agentId) => join(sessionFolder, "subagents", `agent-${agentId}.jsonl`),
  sessionFolder: (agentId) => join(sessionFolder, "subagents", `agent-${agentId}`),
})

export function optionsOf(
  { options, depth, ports, state, onSpent, begins, isKept, addedFolders, repository, separate, lent }: ChildParts,
  { agentId, definition: written, model, log, member }: Omit<SpawnAsk, "callId" | "isolation" | "signal">,
  sessionLogs: SessionLogs,
  worktree: ChildWorktree | undefined,
): SessionOptions {
  // Agents use their parent's servers, besides their own.
  const {
    forkedFrom: _fork,
    editor: _editor,
    playing: _playing,
    mcp: _mcp,
    team: _team,
    programKits: _programKits,
    extensions,
    ...shared
  } = options
  // An agent learns of changed settings through its parent.
  const { watch: _watch, ...permissions } = options.permissions
  const { maxBudgetUsd: _usd, maxBudgetTokens: _tokens, maxTurns: _turns, ...limits } = options.limits
  const servers = options.agentServers?.(written)
  const notes = notesOf(written, options)
  const definition = notes ? withNotes(written, notes.folder) : written
  const root = worktree && rootIn(worktree, options.place.cwd, repository)
  const who = `${member?.name ?? definition.agentType} ${agentId}`
  const rules = root === undefined ? undefined : rulesApart(options.permissions.rules, options.place.cwd, root)
  const child: ChildChoice = {
    agentId,
    definition,
    ...optional("notes", notes),
    ...optional("member", member),
    ...optional("separate", separate),
    ...optional("lent", lent),
    depth,
    ...(log === "waiting" && { isWaiting: true }),
    parent: {
      ...ports,
      ledger: ledgerOf(ports.ledger, who, onSpent, ownLedger(definition, options.model.prices)),
      denials: denialsFrom(ports.denials),
      ...(rules && { grants: rules.grants(ports.grants) }),
    },
    ...begins,
    ...optional("worktree", worktree && { at: worktree.path, of: repository ?? options.place.cwd }),
  }
  return {
    ...shared,
    id: agentId,
    log: !isKept
      ? { kind: "none" }
      : log === "new"
        ? { kind: "new" }
        : { kind: "resume", path: sessionLogs.logPath(agentId) },
    sessionLogs,
    place: {
      ...options.place,
      addedFolders,
      ...optional("cwd", root),
    },
    model: { ...options.model, ...modelOf(options.model, model ?? definition.model, state.model) },
    permissions: {
      ...permissions,
      mode: ports.mode(),
      modeGiven: false,
      ...optional("rules", rules?.texts),
    },
    // The same beginning lets the provider's cache be used.
    system: definition.forkContext ? options.system : { agent: definition.systemPrompt },
    limits: {
      ...limits,
      thinking: { ...state.thinking, ...optional("effort", definition.effort) },
      thinkingGiven: true,
      ...optional("maxTurns", definition.maxTurns),
    },
    // Skills only: the output style is for people.
    ...optional("extensions", extensions && withoutStyle(extensions)),
    ...optional("compaction", compactionOf(definition, options.compaction)),
    ...(definition.omitsMemory && { memory: { ...options.memory, sources: [] } }),
    ...optional("mcp", servers),
    ...(servers && { manner: waitingFor(servers, options.manner) }),
    names: false,
    child,
  }
}

function withoutStyle({ outputStyle: _style, ...rest }: ExtensionChoice): ExtensionChoice {
  return rest
}

/** What an agent brings along is there before it begins: it may have no second request to be told with. */
const waitingFor = ({ limits }: McpChoice, manner: Manner): Manner => ({
  ...manner,
  patienceMs: { servers: limits.startMs },
})

const compactionOf = (
  { compactsAt }: AgentDefinition,
  choice: SessionOptions["compaction"] = { when: "auto", trigger: { kind: "formula" } },
): SessionOptions["compaction"] =>
  compactsAt === undefined ? choice : { ...choice, trigger: { ...choice.trigger, mostTokens: compactsAt } }

function ownLedger({ maxBudgetUsd, maxBudgetTokens }: AgentDefinition, prices: Prices): Ledger | undefined {
  if (maxBudgetUsd === undefined && maxBudgetTokens === undefined) return undefined
  const budget = { ...optional("usd", maxBudgetUsd), ...optional("tokens", maxBudgetTokens) }
  return openLedger({ prices, budget: () => budget })
}

function messagesBefore(messages: readonly Message[], callId: string): readonly Message[] {
  const at = messages.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_use" && block.id === callId),
  )
  return at === -1 ? messages : messages.slice(0, at)
}

/** The folder in the worktree that corresponds to the working folder. */
function rootIn({ path }: ChildWorktree, cwd: string, repository: string | undefined): string {
  const below = repository === undefined ? "" : relative(repository, cwd)
  return below === "" ? path : join(path, below)
}

function noWorktreeWords({ options, ground }: Pick<SpawnerParts, "options" | "ground">): string | undefined {
  if (ground.repository === undefined) return "A worktree needs a git repository, and this folder is in none."
  if (options.place.trusted === true) return undefined
  return "A worktree is made by git, which is run only in folders that the user trusts. Start the agent without isolation."
}

async function openAgentWorktrees(parts: Pick<SpawnerParts, "options" | "ground">): Promise<Worktrees | string> {
  const { options, ground } = parts
  const { place, clock } = options
  const not = noWorktreeWords(parts)
  if (not !== undefined || ground.repository === undefined) return not ?? ""
  const { openWorktrees } = await import("#ground/workspace/git/worktree.ts")
  return openWorktrees({
    processes: ground.workspace.processes,
    clock,
    env: place.childEnv,
    repository: ground.repository.root,
    folder: place.worktrees ?? join(place.stateFolder, "worktrees", projectSlug(ground.repository.root)),
  })
}

function childOf(session: HeldSession, place: MemberPlace): Child {
  return {
    worktree: place.worktree,
    events: session.events(session.atOnce.opened),
    say: session.atOnce.say,
    interrupt: (graceMs) => void session.submit({ type: "interrupt", ...optional("graceMs", graceMs) }),
    settled: async () => void (await session.ask({ type: "settled" })),
    agents: session.atOnce.agents,
    isBusy: () => session.atOnce.background().length > 0,
    stopCommand: async (commandId) => (await session.submit({ type: "stop_command", commandId })).ok,
    async close(): Promise<ChildRemains> {
      const commands = session.atOnce.background().map(({ id, command }) => `${id}, ${command}`)
      await session.close()
      return { commands, ...(await place.finish()) }
    },
  }
}
