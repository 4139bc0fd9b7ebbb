/** What a session is like, from three points of view that must not be taken for each other. */

import type { Follower } from "#agent/words/follower.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { TurnScope } from "#kits/commands/turn.ts"
import type { Lineage } from "./lineage.ts"
import { beginningState, foldState } from "#session/journal/state.ts"

export interface States extends Follower {
  /** As the entries of its own log say. */
  readonly logged: () => SessionState
  /** In the mode that is in force: the mode of an agent is never its own. */
  readonly current: () => SessionState
  /** In that mode, and with the model that answers in it, which need not be the one that was chosen. */
  readonly answering: () => SessionState
}

export function openStates({
  beginning,
  lineage,
  scope,
  forMode,
}: {
  readonly beginning: Parameters<typeof beginningState>[0]
  readonly lineage: Pick<Lineage, "mode">
  readonly scope: Pick<TurnScope, "model">
  readonly forMode?: (state: Pick<SessionState, "mode" | "model" | "contextTokens">) => string
}): States {
  let state = beginningState(beginning)
  const current = (): SessionState => {
    const mode = lineage.mode(state.mode)
    return mode === state.mode ? state : { ...state, mode }
  }
  return {
    take: (entry) => void (state = foldState(state, entry)),
    logged: () => state,
    current,
    answering() {
      const now = current()
      const model = scope.model() ?? forMode?.(now)
      return model === undefined || model === now.model ? now : { ...now, model }
    },
  }
}
