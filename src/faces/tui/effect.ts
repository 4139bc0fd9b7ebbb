/** What a key asks of the world beyond the screen. */

import type { Op } from "#agent/words/op.ts"
import type { Item } from "#faces/view/item.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { PanelName } from "./panels/ports.ts"

/** Commands whose arguments only the session or the disk knows. */
export const askedArguments = ["model", "agents", "resume", "output-style", "mcp", "skills", "add-dir"] as const
export type AskedArgument = (typeof askedArguments)[number]

export type Effect =
  | { readonly kind: "submit"; readonly op: Op }
  /** Quits, or continues with another conversation; `asked`: also when that ends work in the background. */
  | ({ readonly kind: "leave"; readonly asked?: true } & Partial<NextConversation>)
  | { readonly kind: "suspend" }
  /** Prints items into the scrollback. */
  | { readonly kind: "print"; readonly items: readonly Item[]; readonly detail: "folded" | "full" }
  /** Shows the whole conversation, everything in full. */
  | { readonly kind: "pager" }
  /** Opens the plan in the user's editor; what comes back is shown instead. */
  | { readonly kind: "edit_plan"; readonly questionId: string; readonly text: string }
  /** Opens a panel; `query` is what to search for in it. `holds`: what is queued waits until it is closed. */
  | { readonly kind: "panel"; readonly panel: PanelName; readonly query: string; readonly holds?: true }
  /** Puts a text into the clipboard of the terminal, or the last answer when there is none. */
  | { readonly kind: "copy"; readonly text?: string }
  /** Keeps a line among what was said before. */
  | { readonly kind: "remember"; readonly line: string }
  /** Reads a picture from a file into the place that was made for it. */
  | { readonly kind: "picture"; readonly name: string; readonly path: string }
  /** Reads what is in the clipboard into the place that was made for it. */
  | { readonly kind: "paste"; readonly name: string }
  /** Opens the prompt, or a file, in the user's own editor. */
  | { readonly kind: "edit_prompt"; readonly text: string }
  | { readonly kind: "edit_file"; readonly path: string }
  /** Prints what was sent to the model; `words` say which request. */
  | { readonly kind: "inspect"; readonly words: string }
  /** Prints the plan, or opens it in the user's editor; without one, planning begins. */
  | { readonly kind: "plan"; readonly wish: "show" | "edit" }
  /** Prints what a command of the session comes to, and does what is left to do. */
  | { readonly kind: "slash"; readonly typed: string }
  /** Turns the vim keys of the prompt on or off. */
  | { readonly kind: "vim"; readonly on: boolean }
  /** Draws everything again. */
  | { readonly kind: "redraw" }
  /** Wants what the first argument of a command may be. */
  | { readonly kind: "find_argument"; readonly command: AskedArgument; readonly words: string; readonly from: number }
  /** Wants names of files for what stands behind an `@`. */
  | { readonly kind: "find"; readonly words: string; readonly from: number }

export const note = (text: string, level: "info" | "error" = "info"): Effect => ({
  kind: "print",
  items: [{ kind: "notice", level, text }],
  detail: "folded",
})
