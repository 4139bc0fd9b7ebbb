/** How often commands and keys were used: lists begin with the most used, and a hint ends once its key was pressed. */

import type { ActionName } from "./keymap.ts"
import type { TuiOutcome } from "./outcome.ts"
import type { TuiState, Uses } from "./state.ts"

export interface UsesPort {
  readonly load: () => Promise<Uses>
  readonly add: (name: string) => void
}

/** A prompt that begins a conversation, which counts like a command. */
export const firstPromptUse = "first prompt"

/** Actions with a hint that ends when they were used. */
export const taughtActions: ReadonlySet<ActionName> = new Set([
  "next-mode",
  "palette",
  "show-transcript",
  "to-background",
])

export function withUse({ state, effects }: TuiOutcome, name: string): TuiOutcome {
  const { uses } = state
  const more = uses && new Map([...uses, [name, (uses.get(name) ?? 0) + 1]])
  return { state: { ...state, uses: more }, effects: [...effects, { kind: "use", name }] }
}

/** False until the uses are loaded: no hint appears only to go away again. */
export const isUntried = ({ uses }: Pick<TuiState, "uses">, name: ActionName): boolean =>
  uses !== undefined && !uses.has(name)
