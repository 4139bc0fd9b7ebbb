/** What a key asks of the world beyond the screen. */

import type { Op } from "#agent/words/op.ts"
import type { Item } from "#faces/view/item.ts"

export type Effect =
  | { readonly kind: "submit"; readonly op: Op }
  | { readonly kind: "leave" }
  | { readonly kind: "suspend" }
  /** Prints items into the scrollback. */
  | { readonly kind: "print"; readonly items: readonly Item[]; readonly detail: "folded" | "full" }
  /** Wants names of files for what stands behind an `@`. */
  | { readonly kind: "find"; readonly words: string; readonly from: number }

export const note = (text: string, level: "info" | "error" = "info"): Effect => ({
  kind: "print",
  items: [{ kind: "notice", level, text }],
  detail: "folded",
})
