/** The state of a session, folded from its entries. */

import type { AgentSpending } from "#agent/words/budget.ts"
import type { Entry, EntryBody, ModelSpent } from "#agent/words/entry.ts"
import { addUsage, allTokens, noUsage, promptTokens, type Usage } from "#agent/words/model.ts"
import type { SessionState } from "#agent/words/state.ts"
import { optional } from "#lib/optional.ts"

export const beginningState = (
  initial: Pick<SessionState, "mode" | "model" | "cwd" | "thinking" | "budget">,
): SessionState => ({
  ...initial,
  costUsd: 0,
  agents: {},
  spending: {},
  contextTokens: 0,
  turns: 0,
  lastEnd: undefined,
})

export const foldState = (state: SessionState, entry: Entry): SessionState => foldBody(state, entry)

function foldBody(state: SessionState, entry: EntryBody): SessionState {
  switch (entry.kind) {
    case "mode":
      return { ...state, mode: entry.mode }
    case "model":
      return { ...state, model: entry.model }
    case "thinking":
      return { ...state, thinking: entry.thinking }
    case "budget":
      return { ...state, budget: entry.budget }
    case "cwd":
      return { ...state, cwd: entry.path }
    case "shrink":
    case "stub":
      // The size reported by the last answer is no longer valid.
      return { ...state, contextTokens: 0 }
    case "head":
      return { ...state, contextTokens: entry.contextTokens ?? 0 }
    case "compaction":
      return entry.standing.reduce(foldBody, { ...state, contextTokens: 0 })
    case "spent":
      return foldSpent(state, entry)
    case "turn_start":
      return { ...state, turns: state.turns + 1, lastEnd: undefined }
    case "turn_end":
      return { ...state, lastEnd: entry.reason }
    case "reply_end": {
      const before = state.spending[entry.model] ?? { usage: noUsage, costUsd: 0 }
      const cost = entry.costUsd ?? 0
      const spent = { usage: addUsage(before.usage, entry.usage), costUsd: before.costUsd + cost }
      return {
        ...state,
        costUsd: state.costUsd + cost,
        agents: agentsWith(state.agents, "main", { costUsd: cost, tokens: allTokens(entry.usage) }),
        contextTokens: allTokens(entry.usage),
        spending: { ...state.spending, [entry.model]: spent },
      }
    }
    default:
      return state
  }
}

function foldSpent(state: SessionState, { turns, models, agents }: EntryBody & { kind: "spent" }): SessionState {
  const spending = Object.fromEntries(models.map(({ model, usage, costUsd }) => [model, { usage, costUsd }]))
  const costUsd = models.reduce((sum, model) => sum + model.costUsd, 0)
  return { ...state, turns, spending, costUsd, agents: agents ?? { main: { costUsd, tokens: tokensOf(models) } } }
}

const tokensOf = (models: readonly ModelSpent[]): number => models.reduce((sum, { usage }) => sum + allTokens(usage), 0)

const agentsWith = (
  agents: SessionState["agents"],
  who: string,
  { costUsd, tokens, input, cached }: AgentSpending,
): SessionState["agents"] => ({
  ...agents,
  [who]: {
    costUsd: (agents[who]?.costUsd ?? 0) + costUsd,
    tokens: (agents[who]?.tokens ?? 0) + tokens,
    ...optional("input", sum(agents[who]?.input, input)),
    ...optional("cached", sum(agents[who]?.cached, cached)),
  },
})

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

/** For a request that is no answer in the conversation and has no log of its own. */
export const spentAside = (state: SessionState, spent: Parameters<typeof spentWith>[1]): EntryBody => ({
  ...spentWith(state, spent),
  side: { model: spent.model, usage: spent.usage },
})

export function spentWith(
  { turns, spending, agents }: SessionState,
  {
    who,
    model,
    usage,
    costUsd,
  }: { readonly who: string; readonly model: string; readonly usage: Usage; readonly costUsd: number },
): EntryBody & { readonly kind: "spent" } {
  const before = spending[model] ?? { usage: noUsage, costUsd: 0 }
  const now = { usage: addUsage(before.usage, usage), costUsd: before.costUsd + costUsd }
  const models = Object.entries({ ...spending, [model]: now }).map(([name, spent]) => ({ model: name, ...spent }))
  const spent = { costUsd, tokens: allTokens(usage), input: promptTokens(usage), cached: usage.cache_read_input_tokens }
  return { kind: "spent", turns, models, agents: agentsWith(agents, who, spent) }
}
