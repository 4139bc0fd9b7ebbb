/** What a session is opened with when another one starts it as its agent: who it is, and all that it shares with that one. */

import type { OverBudget } from "./budget-pause.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Added, EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, refused } from "#agent/words/tool.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { Grants } from "#kits/permissions/grants.ts"
import type { Copy } from "#kits/permissions/paths.ts"
import { type Crowd, deepest } from "#kits/subagents/crowd.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { isOffered } from "#kits/subagents/offered.ts"
import { stepReminderKit } from "#kits/subagents/reminder.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { Beginning } from "#session/request/setup.ts"
import type { Widen } from "./widen.ts"

export interface ChildChoice {
  readonly agentId: string
  readonly definition: AgentDefinition
  /** How many agents stand between it and the user, itself included. */
  readonly depth: number
  /** It began before the program ended, and waits for the user in the middle of a turn. */
  readonly isWaiting?: boolean
  readonly parent: ParentPorts
  /** The conversation it begins with, where it is to begin with that of its parent. */
  readonly messages?: readonly Message[]
  /** What of it the program had added. */
  readonly added?: readonly Added[]
  /** It works in a worktree that was made for it, and that is a copy of the repository. */
  readonly apart?: Copy
}

/** What a parent hands down. Nothing of it is wider than what the parent has itself. */
export interface ParentPorts {
  readonly sessionId: string
  /** The log of the first session of the tree; nothing where it is not kept. */
  readonly transcript: string | undefined
  /** As it is now: a mode that changes holds for the very next call of every agent. */
  readonly mode: () => PermissionMode
  /** The rules in force, and where those that the user gives are kept. */
  readonly grants: Grants
  /** What the command of the turn denies. */
  readonly denials: () => readonly string[]
  readonly ask: Questions["ask"]
  readonly asked: Questions["asked"]
  readonly decided: Questions["decided"]
  /** Whether the session is being left with a question open: an agent must not record that it was ended by that. */
  readonly isSealed: () => boolean
  readonly widen: Widen
  /** One for the whole tree. */
  readonly ledger: Ledger
  /** What a turn does that the budget does not cover: the user is asked once for the whole tree. */
  readonly overBudget: OverBudget
  /** Undo of the parent covers what its agents change. */
  readonly checkpoints: Checkpoints
  /** The watch over the plan that was approved. */
  readonly planWatch: Middleware
  /** The name of the plan beside which an agent has its own. */
  readonly planSlug: () => string
  readonly crowd: Crowd
  /** Tools that come and go; an agent has no servers of its own. */
  readonly late?: Kit
  /** What requests of the parent begin with. */
  readonly beginning: () => Beginning | undefined
}

/** Questions of an agent go to the user through whoever started it, marked with who asks. */
export function questionsOf({ agentId, definition, parent }: ChildChoice): Questions {
  const own: AskingAgent = { id: agentId, type: definition.agentType }
  return {
    ask: (ask, signal, agent) =>
      agent === undefined ? parent.ask(saidBy(own, ask), signal, own) : parent.ask(ask, signal, agent),
    answer: () => "unknown",
    open: () => [],
    // They are kept in the log of the session that asks them.
    asked: parent.asked,
    decided: parent.decided,
    remember: () => {},
    withdraw: () => {},
  }
}

/** Whoever is asked must know who wants it; what is said of a call every face shows. */
function saidBy({ type }: AskingAgent, ask: QuestionAsk): QuestionAsk {
  if (ask.kind !== "permission") return ask
  return { ...ask, decision: { ...ask.decision, message: `The ${type} agent asks. ${ask.decision.message}` } }
}

/** Undo as an agent has it: the layer is the parent's, and everything else is for the user to ask of the parent. */
export function checkpointsOf({ parent: { checkpoints }, apart }: ChildChoice, root: string): Checkpoints {
  const { take: _take, close: _close, rest: _rest, middleware, ...shared } = checkpoints
  const isApart = (paths: readonly string[]): boolean => paths.every((path) => path.startsWith(`${root}/`))
  return {
    ...shared,
    beforePrompt: () => {},
    ...(middleware && {
      middleware: (call, next) => {
        const { writes, runs } = call.footprint
        // A worktree of its own is no part of what the parent can go back in; git keeps it.
        const isOwn = apart !== undefined && writes.length > 0 && runs.length === 0 && isApart(writes)
        return isOwn ? next(call) : middleware(call, next)
      },
    }),
  }
}

/** The conversation of a parent as the beginning of its agent's: the log says what every request begins with. */
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

/** What only an agent has: the outermost layer keeps it to its own tools, and its reminder comes with every step. */
export function childKits({ definition, depth }: ChildChoice): readonly Kit[] {
  const { criticalReminder } = definition
  return [
    {
      name: "agent tools",
      middleware: (call, next) =>
        mayUse(definition, depth, call.tool)
          ? next(call)
          : Promise.resolve(refused(`${call.tool.name} is not for this agent. Go on without it.`)),
    },
    ...(criticalReminder === undefined ? [] : [stepReminderKit(criticalReminder)]),
  ]
}

/** Whether a tool is offered to an agent at all. */
export function mayUse(definition: AgentDefinition, depth: number, tool: AnyTool): boolean {
  if (depth >= deepest && tool.delegates) return false
  return isOffered(definition, tool)
}
