/**
 * Whether a session is the root or an agent, and what that means. The root creates things of its own; an agent takes over what its parent hands down.
 * Both answer every question here, so that no other code has to check which one it is.
 */

import type { OverBudget } from "./budget-pause.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Added } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import type { CommandFile } from "#kits/commands/decode.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { GateRoom } from "#kits/gates/room.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import type { Copy, Workspace as JudgedWorkspace } from "#kits/permissions/paths.ts"
import { parseRules, type PermissionRule, ruleText } from "#kits/permissions/rules/rule.ts"
import type { LanguageServers } from "#kits/lsp/servers.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import type { PlanPorts } from "#kits/plan/ports.ts"
import { type AgentLimits, deepest, openAgentLimits } from "#kits/subagents/agent-limits.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { isPlayed, startsAgents } from "#kits/subagents/offered.ts"
import { askingOf, type ChildChoice, checkpointsOf, childKits, listedTeam, mayUse, questionsOf } from "./child.ts"
import { toolsOf } from "./program-kits.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { RequestBeginning } from "#session/request/setup.ts"
import { openSetups, type Setups } from "#session/request/setups.ts"
import type { TeamKit } from "./team.ts"
import type { UpdatePermissions, Warn } from "./upward.ts"
import { type Widen, widenOf } from "./widen.ts"

export interface Lineage {
  /** Identifies the whole tree to hooks, logs and servers. */
  readonly sessionId: string
  /** The log of the root session; undefined where it is not kept. */
  readonly transcript: (own: string | undefined) => string | undefined
  readonly agent: AskingAgent | undefined
  /** How many agents are between it and the user, including itself. */
  readonly depth: number
  /** Who writes its prompts. An agent's prompts cannot have files read, and an agent cannot query its own settings. */
  readonly prompts: "person" | "agent"
  readonly onlyReads: boolean
  readonly mayStartAgents: boolean
  /** Of an agent, which has its parent's; a change applies to its next call. */
  readonly mode?: () => PermissionMode
  /** The mode in which calls are decided: never wider than the session's. */
  readonly effectiveMode: (mode: PermissionMode) => PermissionMode
  readonly ledger: (open: () => Ledger) => Ledger
  readonly overBudget: (own: OverBudget) => OverBudget
  /** Warnings of an agent reach the user through its parent, too. */
  readonly warn: (own: Warn) => Warn
  readonly questions: (open: () => Questions) => Questions
  readonly grants: (open: () => Grants) => Grants
  readonly checkpoints: (open: () => Checkpoints, root: string) => Checkpoints
  readonly planWatch: (own: Middleware) => Middleware
  /** What it takes over of gates; undefined for the root, which makes it. */
  readonly gates: GateRoom | undefined
  readonly planner: PlanPorts["agent"]
  readonly denials: (own: () => readonly string[]) => () => readonly string[]
  readonly limits: readonly PermissionRule[] | undefined
  readonly agentLimits: AgentLimits
  readonly setups: Setups
  /** Commands and skills that the session has found, if an agent works in the same folder. */
  readonly commandFiles: (() => readonly CommandFile[]) | undefined
  readonly team: (open: () => TeamKit | undefined) => TeamKit | undefined
  readonly programKits: (open: () => readonly Kit[]) => readonly Kit[]
  /** Agents use those of the session. */
  readonly languageServers: (open: () => Promise<LanguageServers>) => () => Promise<LanguageServers>
  /** Which kits of an embedding program it has. */
  readonly embedderKits: (kits: readonly Kit[]) => readonly Kit[]
  readonly kits: readonly Kit[]
  readonly isListed: (tool: AnyTool) => boolean
  readonly judged: (workspace: JudgedWorkspace, plan: PlanKit) => JudgedWorkspace
  /** Of an agent that works in one. */
  readonly worktree: Copy | undefined
  /** What its first request begins with, if that is handed down. */
  readonly beginning: () => RequestBeginning | undefined
  readonly messages: readonly Message[] | undefined
  readonly added: readonly Added[]
  readonly widen: (own: Widen) => Widen
  /** Whether an answer can change the mode. */
  readonly hasFixedMode: boolean
  /** Changes of permissions are the whole session's. */
  readonly update: (own: UpdatePermissions) => UpdatePermissions
  /** Whether it was started in an earlier process, and continues mid-turn. */
  readonly isWaiting: boolean
  /** Whether the session that it is part of is closing with an open question. */
  readonly isLeft: () => boolean
}

export const lineageOf = (options: {
  readonly id: string
  readonly child?: ChildChoice
  readonly playing?: AgentDefinition
}): Lineage => (options.child ? inherit(options.child) : begin(options.id, options.playing))

function begin(id: string, playing: AgentDefinition | undefined): Lineage {
  const isReader = playing?.onlyReads === true
  return {
    sessionId: id,
    transcript: (own) => own,
    agent: undefined,
    depth: 0,
    prompts: "person",
    onlyReads: isReader,
    mayStartAgents: true,
    effectiveMode: decidingMode(playing),
    ledger: (open) => open(),
    overBudget: (own) => own,
    warn: (own) => own,
    questions: (open) => open(),
    grants: (open) => open(),
    checkpoints: (open) => open(),
    planWatch: (own) => own,
    gates: undefined,
    planner: { kind: "main" },
    denials: (own) => withDenials(own, playing),
    limits: limitsOf(playing),
    agentLimits: openAgentLimits(),
    setups: openSetups(),
    commandFiles: undefined,
    team: (open) => open(),
    programKits: (open) => open(),
    languageServers: (open) => open,
    embedderKits: (kits) => kits,
    kits: [],
    isListed: (tool) => playing === undefined || isPlayed(playing, tool),
    judged: (workspace, plan) =>
      isReader ? { ...workspace, agent: "reader" } : withPlan(workspace, plan.plan()?.path),
    worktree: undefined,
    beginning: () => undefined,
    messages: undefined,
    added: [],
    widen: (own) => own,
    hasFixedMode: false,
    update: (own) => own,
    isWaiting: false,
    isLeft: () => false,
  }
}

function inherit(child: ChildChoice): Lineage {
  const { agentId, definition, depth, parent } = child
  const { shared } = parent
  const isReader = definition.onlyReads === true
  // A fork has its parent's tools along with its conversation; limits are enforced per call.
  const isFork = definition.forkContext === true
  return {
    sessionId: parent.sessionId,
    transcript: () => parent.transcript,
    agent: askingOf(child),
    depth,
    prompts: "agent",
    onlyReads: isReader,
    mayStartAgents: isFork || (startsAgents(definition) && depth < deepest),
    mode: parent.mode,
    effectiveMode: (mode) => (child.member?.isPlanning() ? "plan" : decidingMode(definition)(mode)),
    ledger: () => parent.ledger,
    overBudget: () => parent.overBudget,
    warn: (own) => (text) => {
      own(text)
      parent.warn(`The ${definition.agentType} agent: ${text}`)
    },
    questions: (open) => questionsOf(child, open),
    grants: () => parent.grants,
    checkpoints: (open, root) => checkpointsOf(child, open, root),
    planWatch: () => shared?.planWatch ?? ((call, next) => next(call)),
    gates: parent.gates,
    planner: { kind: "sub", id: agentId, slug: parent.planSlug },
    denials: () => withDenials(parent.denials, definition),
    limits: limitsOf(definition),
    agentLimits: shared?.agentLimits ?? openAgentLimits(),
    setups: shared?.setups ?? openSetups(),
    commandFiles: child.worktree ? undefined : shared?.commandFiles,
    team: () => (isFork && shared?.team ? listedTeam(shared.team) : undefined),
    programKits: () => (isFork ? toolsOf(shared?.programKits) : []),
    languageServers: (open) => shared?.languageServers ?? open,
    // A kit that follows a conversation follows the parent's; an agent gets only its tools.
    embedderKits: (kits) => [
      ...kits.flatMap((kit) => (kit.tools ? [{ name: kit.name, tools: kit.tools }] : [])),
      ...(shared?.late ? [shared.late] : []),
    ],
    kits: childKits(child),
    isListed: (tool) => isFork || mayUse(child, tool),
    judged(workspace, plan) {
      if (isReader) return { ...workspace, agent: "reader" }
      if (parent.mode() === "plan") return withPlan({ ...workspace, agent: "worker" }, plan.named().path)
      const own = child.notes ? [...workspace.own, child.notes.folder] : workspace.own
      return { ...workspace, own, agent: "worker" }
    },
    worktree: child.worktree,
    beginning: () => (isFork ? shared?.beginning() : undefined),
    messages: child.messages,
    added: child.added ?? [],
    widen: (own) => widenOf(parent.widen, own),
    hasFixedMode: parent.widen === undefined,
    update: () => parent.update,
    isWaiting: child.isWaiting === true,
    isLeft: shared?.isSealed ?? (() => false),
  }
}

const withDenials = (
  denials: () => readonly string[],
  definition: AgentDefinition | undefined,
): (() => readonly string[]) => {
  const own = definition?.denies
  return own === undefined ? denials : () => [...denials(), ...own]
}

/** A rule that cannot be parsed covers no call, so its tool cannot be used. */
function limitsOf(definition: AgentDefinition | undefined): readonly PermissionRule[] | undefined {
  const texts = definition?.limits
  if (texts === undefined) return undefined
  const { rules } = parseRules(texts.map((text) => ({ behavior: "allow", text, source: "command" })))
  const lost = texts.filter((text) => !rules.some((rule) => ruleText(rule) === text))
  const nothing = lost.map((text): PermissionRule => ({
    behavior: "allow",
    tool: /^[\w-]+/.exec(text)?.[0] ?? "",
    source: "command",
    matter: { kind: "field", fields: [], values: [] },
  }))
  return [...rules, ...nothing]
}

const decidingMode =
  (definition: AgentDefinition | undefined) =>
  (mode: PermissionMode): PermissionMode => {
    if (definition?.onlyReads || mode === "plan") return "plan"
    return definition?.neverAsks ? "dontAsk" : mode
  }

/** The plan belongs to the session, like its stored results. */
const withPlan = (judged: JudgedWorkspace, planFile: string | undefined): JudgedWorkspace =>
  planFile === undefined ? judged : { ...judged, own: [...judged.own, planFile], planFile }
