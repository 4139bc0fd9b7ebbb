/** What a session is now, folded from its entries. */

import type { EndReason } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import type { PermissionMode } from "#agent/words/permission.ts"

export interface ModelSpending {
  readonly usage: Usage
  readonly costUsd: number
}

export interface SessionState {
  readonly mode: PermissionMode
  readonly model: string
  readonly cwd: string
  readonly costUsd: number
  readonly spending: { readonly [model: string]: ModelSpending }
  /** The last request's whole input and output: what the context holds. */
  readonly contextTokens: number
  readonly turns: number
  readonly lastEnd: EndReason | undefined
}

export function foldState(state: SessionState, entry: Entry): SessionState {
  switch (entry.kind) {
    case "mode":
      return { ...state, mode: entry.mode }
    case "model":
      return { ...state, model: entry.model }
    case "cwd":
      return { ...state, cwd: entry.path }
    case "shrink":
      // What the last answer said of the size no longer holds.
      return { ...state, contextTokens: 0 }
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

const contextOf = (usage: Usage): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens + usage.output_tokens
