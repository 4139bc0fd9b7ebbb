/** Keys named where they help, each until it was used once. */

import type { ActionName } from "./keymap.ts"
import { keyLabel } from "./key-names.ts"
import type { Detail } from "./parts/display.ts"
import type { Size } from "./screen/screen.ts"
import { dim } from "./screen/style.ts"
import { fitted } from "./screen/width.ts"
import type { TuiState } from "./state.ts"
import { isUntried } from "./uses.ts"

/** Nothing if the key is known, or if there is none. */
export function keyHint(state: Pick<TuiState, "keymap" | "uses">, name: ActionName, does: string): readonly string[] {
  if (!isUntried(state, name)) return []
  const key = state.keymap.keysOf(name)[0]
  return key === undefined ? [] : [`${keyLabel(key)} ${does}`]
}

/** A command that is done sooner needs no other place. */
const longMs = 2000

export function backgroundHint(state: TuiState, { columns }: Size): readonly string[] {
  const runs = state.view.items.some(
    (item) => item.kind === "call" && item.movable && item.state === "running" && item.elapsedMs >= longMs,
  )
  if (!runs || state.dialog) return []
  return keyHint(state, "to-background", "to move it to the background").map((hint) =>
    fitted(`    ${dim(hint)}`, columns),
  )
}

export const modeTip = (state: TuiState): string | undefined =>
  keyHint(state, "next-mode", "at the prompt for modes that ask less")[0]

/** What is folded names Ctrl+O until it was pressed, and only where that key shows the transcript. */
export const foldedFor = ({ uses, keymap }: Pick<TuiState, "uses" | "keymap">): Detail =>
  uses?.has("show-transcript") || !keymap.keysOf("show-transcript").includes("ctrl+o") ? "brief" : "folded"
