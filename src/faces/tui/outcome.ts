/** What comes of a key: another state, and what is asked of the world. */

import type { CommandRow } from "#agent/words/command.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Effect } from "./effect.ts"
import type { PanelName } from "./panels/ports.ts"
import type { TuiState } from "./state.ts"

export interface TuiOutcome {
  readonly state: TuiState
  readonly effects: readonly Effect[]
}

/** Present only if someone provides it. */
export type Offer = PanelName | "pictures" | "editor" | "background" | "workflow"

export interface TuiContext {
  readonly session: SessionState
  readonly modeCycle: readonly PermissionMode[]
  readonly now: number
  readonly columns: number
  readonly rows: number
  /** How many work beside the conversation. */
  readonly agents: number
  readonly offers: ReadonlySet<Offer>
  /** Their lines go to the session unchanged. */
  readonly sessionCommands: readonly CommandRow[]
}

export const only = (state: TuiState, ...effects: readonly Effect[]): TuiOutcome => ({ state, effects })
