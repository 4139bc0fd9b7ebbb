/** What the page shows beside a conversation, folded from its entries: context, cost, agents, prompts to go back to. */

import type { AgentSpending } from "#agent/words/budget.ts"
import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Usage } from "#agent/words/model.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import type { Question } from "#agent/words/question.ts"

/** The context after one request. */
export interface ContextPoint {
  readonly cached: number
  readonly fresh: number
  readonly output: number
  /** The conversation was made smaller just before. */
  readonly isCompacted: boolean
}

export interface PromptPoint {
  readonly promptId: string
  readonly text: string
  readonly at: number
}

export interface Facts {
  readonly context: readonly ContextPoint[]
  readonly costUsd: number
  readonly agents: readonly ChildFact[]
  readonly spending: { readonly [who: string]: AgentSpending }
  readonly prompts: readonly PromptPoint[]
  readonly team: string | undefined
  /** By id; the latest one counts, as an action may change before it is decided. */
  readonly questions: ReadonlyMap<string, Question>
  readonly compacted: boolean
}

export const noFacts: Facts = {
  context: [],
  costUsd: 0,
  agents: [],
  spending: {},
  prompts: [],
  team: undefined,
  questions: new Map(),
  compacted: false,
}

/** A chart has no room for more. */
const mostPoints = 400

export function learn(facts: Facts, entry: Entry): Facts {
  switch (entry.kind) {
    case "reply_end":
      return { ...facts, ...spentOn(facts, entry.usage, entry.costUsd ?? 0), compacted: false }
    case "compaction":
      return { ...facts, compacted: true }
    case "spent":
      return { ...facts, spending: entry.agents ?? facts.spending }
    case "prompt":
      return {
        ...facts,
        prompts: [...facts.prompts, { promptId: entry.promptId, text: saidText(entry), at: entry.at }],
      }
    case "head":
      return { ...facts, prompts: keptPrompts(facts.prompts, entry) }
    case "child": {
      const { kind: _kind, uuid: _uuid, parentUuid: _parent, at: _at, ...child } = entry
      const others = facts.agents.filter(({ agentId }) => agentId !== child.agentId)
      return { ...facts, agents: [...others, child] }
    }
    case "team":
      return { ...facts, team: entry.over ? undefined : entry.team }
    case "question":
      return { ...facts, questions: new Map(facts.questions).set(entry.question.id, entry.question) }
    default:
      return facts
  }
}

function spentOn({ context, costUsd, compacted }: Facts, usage: Usage, more: number): Partial<Facts> {
  const point: ContextPoint = {
    cached: usage.cache_read_input_tokens,
    fresh: usage.input_tokens + usage.cache_creation_input_tokens,
    output: usage.output_tokens,
    isCompacted: compacted,
  }
  return { context: [...context, point].slice(-mostPoints), costUsd: costUsd + more }
}

/** What was rewound is no longer part of the conversation, so nobody can go back to it. */
function keptPrompts(prompts: readonly PromptPoint[], head: Entry & { readonly kind: "head" }): readonly PromptPoint[] {
  if (head.why === "clear") return []
  if (head.why !== "rewind" || head.before !== undefined || head.prompt === undefined) return prompts
  const last = prompts.findLastIndex(({ text }) => text === head.prompt)
  return last === -1 ? prompts : prompts.slice(0, last)
}
