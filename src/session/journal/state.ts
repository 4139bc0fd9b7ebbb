/** What a session is now, folded from its entries. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import type { SessionState } from "#agent/words/state.ts"

export const beginningState = (given: Pick<SessionState, "mode" | "model" | "cwd" | "thinking">): SessionState => ({
  ...given,
  costUsd: 0,
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
    case "cwd":
      return { ...state, cwd: entry.path }
    case "shrink":
    case "stub":
    case "head":
      // What the last answer said of the size no longer holds.
      return { ...state, contextTokens: 0 }
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
        contextTokens: contextOf(entry.usage),
        spending: { ...state.spending, [entry.model]: spent },
      }
    }
    default:
      return state
  }
}

function foldSpent(state: SessionState, { turns, models }: EntryBody & { kind: "spent" }): SessionState {
  const spending = Object.fromEntries(models.map(({ model, usage, costUsd }) => [model, { usage, costUsd }]))
  return { ...state, turns, spending, costUsd: models.reduce((sum, { costUsd }) => sum + costUsd, 0) }
}

const contextOf = (usage: Usage): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens + usage.output_tokens

/** What a request on the side adds to what was spent, as the entry that says so. */
export function spentWith(
  { turns, spending }: SessionState,
  { model, usage, costUsd }: { readonly model: string; readonly usage: Usage; readonly costUsd: number },
): EntryBody {
  const before = spending[model] ?? { usage: noUsage, costUsd: 0 }
  const now = { usage: addUsage(before.usage, usage), costUsd: before.costUsd + costUsd }
  const models = Object.entries({ ...spending, [model]: now }).map(([name, spent]) => ({ model: name, ...spent }))
  return { kind: "spent", turns, models }
}
