/** What a session gets when another one starts it as its agent: its identity, and everything shared with the parent. */

import type { Lent } from "#kits/commands/turn.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Added, EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, refused } from "#agent/words/tool.ts"
import { bundledDocuments } from "#ground/bundled/documents.ts"
import type { CommandFile } from "#kits/commands/decode.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { GateRoom } from "#kits/gates/room.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import type { Copy } from "#kits/permissions/paths.ts"
import type { MemberSeat } from "#kits/subagents/child.ts"
import { type AgentLimits, deepest } from "#kits/subagents/agent-limits.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { docsName, docsTool } from "#kits/subagents/docs.ts"
import { type Notes, notesKit } from "#kits/subagents/memory.ts"
import { isOffered } from "#kits/subagents/offered.ts"
import { stepReminderKit } from "#kits/subagents/reminder.ts"
import { optional } from "#lib/optional.ts"
import { failed } from "#lib/result.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { RequestBeginning } from "#session/request/setup.ts"
import type { Setups } from "#session/request/setups.ts"
import type { TeamHooks } from "./team-hooks.ts"
import type { LanguageServers } from "#kits/lsp/servers.ts"
import type { TeamKit } from "./team.ts"
import type { Upward } from "./upward.ts"

export interface ChildChoice {
  readonly agentId: string
  readonly definition: AgentDefinition
  /** How many agents are between it and the user, including itself. */
  readonly depth: number
  /** It was started before the program ended, and waits for the user mid-turn. */
  readonly isWaiting?: boolean
  readonly parent: ParentPorts
  readonly messages?: readonly Message[]
  /** Which of these messages the program had added. */
  readonly added?: readonly Added[]
  readonly notes?: Notes
  /** Set if it is a member of a team. */
  readonly member?: MemberSeat
  /** Set if its parent runs in another process. */
  readonly separate?: SeparateSession
  /** Set if it works in its own worktree, a copy of the repository. */
  readonly worktree?: Copy
  /** What the command or skill that it carries out allows, and its hooks. */
  readonly lent?: Lent
}

/** What the session of an agent offers to whoever connects it with a parent in another process. */
export interface SeparateSession {
  /** Called with each question that opens; the signal aborts when it is closed. */
  readonly asked: (question: Question, closed: AbortSignal) => void
  /** Called once, when the session can ask and has read its hooks. */
  readonly ready: (ports: { readonly questions: Questions; readonly hook: TeamHooks }) => void
}

/** What a parent gives its agent, never more than it has itself: what is in force, where to ask, and what both share in one process. */
export interface ParentPorts extends Upward {
  readonly sessionId: string
  /** The log of the root session; undefined where it is not kept. */
  readonly transcript: string | undefined
  /** Read for every call: a changed mode applies to the next call of every agent. */
  readonly mode: () => PermissionMode
  /** The rules in force, and where new rules from the user are kept. */
  readonly grants: Grants
  readonly denials: () => readonly string[]
  /** Every gate of the session is one for its agents. */
  readonly gates: GateRoom
  /** The plan name from which the agent's own is derived. */
  readonly planSlug: () => string
  /** Absent if the parent runs in another process. */
  readonly shared?: SharedObjects
}

/** What an agent shares with a parent in the same process. */
export interface SharedObjects extends Pick<Questions, "asked" | "decided"> {
  /** Whether the session is closing with an open question: an agent must not record that as its end. */
  readonly isSealed: () => boolean
  /** The parent's undo covers what its agents change. */
  readonly checkpoints: Checkpoints
  readonly planWatch: Middleware
  readonly agentLimits: AgentLimits
  readonly setups: Setups
  readonly commandFiles?: () => readonly CommandFile[]
  /** The team it can lead. */
  readonly team?: TeamKit
  readonly programKits?: readonly Kit[]
  /** Tools that come and go. */
  readonly late?: Kit
  readonly languageServers?: () => Promise<LanguageServers>
  /** What the parent's requests begin with. */
  readonly beginning: () => RequestBeginning | undefined
}

export const askingOf = ({ agentId, definition, member, worktree }: ChildChoice): AskingAgent => ({
  id: agentId,
  type: definition.agentType,
  ...optional("name", member?.name),
  ...optional("folder", worktree?.at),
})

/** An agent's questions reach the user through its parent, marked with who asks. Away from its parent it keeps them itself. */
export function questionsOf(child: ChildChoice, open: () => Questions): Questions {
  const { parent } = child
  const { shared } = parent
  const own = askingOf(child)
  const worded = own.name === undefined ? (answer: Answer): Answer => answer : wordedForMember
  if (!shared) {
    const kept = open()
    return {
      ...kept,
      ask: async (ask, signal, agent = own) =>
        worded(await kept.ask(agent === own ? saidBy(own, ask) : ask, signal, agent)),
    }
  }
  return {
    ask: async (ask, signal, agent) =>
      worded(await (agent === undefined ? parent.ask(saidBy(own, ask), signal, own) : parent.ask(ask, signal, agent))),
    answer: () => "unknown",
    open: () => [],
    // Questions are kept in the log of the session that asks them.
    asked: shared.asked,
    decided: shared.decided,
    remember: () => {},
    withdraw: () => {},
  }
}

/** Nobody sits in front of a member to speak next: a no without words must not end its turn, and with it the member. */
const wordedForMember = (answer: Answer): Answer =>
  answer.kind === "deny" && !answer.interrupt && !answer.words?.trim()
    ? { ...answer, words: "Do not try the same in another way. Continue without it, or say what you would need." }
    : answer

/** The user must know who asks; every face shows the description of a call. */
function saidBy({ type, name }: AskingAgent, ask: QuestionAsk): QuestionAsk {
  if (ask.kind !== "permission") return ask
  return {
    ...ask,
    decision: { ...ask.decision, message: `${name ?? `The ${type} agent`} asks. ${ask.decision.message}` },
  }
}

/** Undo for an agent: it shares the parent's layer, and everything else is up to the user in the parent. */
export function checkpointsOf({ parent, worktree }: ChildChoice, open: () => Checkpoints, root: string): Checkpoints {
  if (!parent.shared) return open()
  const { onEntry: _take, close: _close, rest: _rest, middleware, ...shared } = parent.shared.checkpoints
  const isInside = (paths: readonly string[]): boolean => paths.every((path) => path.startsWith(`${root}/`))
  return {
    ...shared,
    beforePrompt: () => {},
    ...(middleware && {
      middleware: (call, next) => {
        const { writes, runs } = call.footprint
        // An agent's own worktree is not covered by the parent's undo; git keeps it.
        const isOwn = worktree !== undefined && writes.length > 0 && runs.length === 0 && isInside(writes)
        return isOwn ? next(call) : middleware(call, next)
      },
    }),
  }
}

/** The parent's conversation as the beginning of its agent's; the log says what every request begins with. */
export const inherited = (messages: readonly Message[], added: readonly Added[]): EntryBody => ({
  kind: "compaction",
  trigger: "auto",
  by: "extract",
  preTokens: 0,
  postTokens: 0,
  summary: "The conversation of the agent that started this one.",
  messages,
  added,
  standing: [],
})

/** Kits only an agent has: the outermost layer limits it to its own tools, and its reminder comes with every step. */
export function childKits(child: ChildChoice): readonly Kit[] {
  const { definition, notes, member } = child
  const { criticalReminder } = definition
  return [
    {
      name: "agent tools",
      middleware: (call, next) =>
        mayUse(child, call.tool)
          ? next(call)
          : Promise.resolve(refused(`${call.tool.name} is not available to this agent. Continue without it.`)),
    },
    ...(member?.kits ?? []),
    ...guidesFor(definition),
    ...(notes === undefined ? [] : [notesKit(notes)]),
    ...(criticalReminder === undefined ? [] : [stepReminderKit(criticalReminder)]),
  ]
}

/** The guides of the program, for an agent that asks for them by name. */
export const guidesFor = ({ tools }: Pick<AgentDefinition, "tools">): readonly Kit[] =>
  tools?.includes(docsName) ? [{ name: "guides", tools: [docsTool({ pages: bundledDocuments })] }] : []

/** The lead's own tools, listed for an agent that has the lead's conversation, and only for that. */
export const listedTeam = ({ kit, joined }: TeamKit): TeamKit => ({
  kit: { name: kit.name, ...optional("tools", kit.tools) },
  joined,
  members: { start: async () => failed("Only the lead of the team starts members.") },
  overview: async () => undefined,
  start: () => {},
})

const isLeads = (tool: AnyTool, { shared }: ParentPorts): boolean =>
  shared?.team !== undefined && [...(shared.team.kit.tools ?? []), ...shared.team.joined()].includes(tool)

export function mayUse({ definition, depth, member, parent }: ChildChoice, tool: AnyTool): boolean {
  if (isLeads(tool, parent)) return false
  // What a member works with belongs to it, whatever its definition lists.
  if (member?.kits.some((kit) => kit.tools?.some(({ name }) => name === tool.name))) return true
  if (depth >= deepest && tool.delegates) return false
  return isOffered(definition, tool)
}
