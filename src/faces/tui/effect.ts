/** What a key asks of the world beyond the screen. */

import type { Op } from "#agent/words/op.ts"
import type { Item } from "#faces/view/item.ts"
import type { NextConversation } from "#session/opening/program.ts"
import type { ActionName } from "./keymap.ts"
import type { PanelName } from "./panels/ports.ts"

export const askedArguments = ["model", "agents", "resume", "output-style", "mcp", "skills", "add-dir"] as const
export type AskedArgument = (typeof askedArguments)[number]

export type Effect =
  /** `says`: the transcript gets a line about it, because nothing else there shows it. */
  | { readonly kind: "submit"; readonly op: Op; readonly says?: true }
  /** `asked`: even if background work ends with it. `background`: it continues without this terminal, with this prompt if it is not empty. */
  | ({ readonly kind: "leave"; readonly asked?: true; readonly background?: string } & Partial<NextConversation>)
  | { readonly kind: "suspend" }
  | { readonly kind: "print"; readonly items: readonly Item[]; readonly detail: "folded" | "full" }
  | { readonly kind: "pager" }
  /** What comes back from the editor replaces it in the dialog. */
  | { readonly kind: "edit_plan"; readonly questionId: string; readonly text: string }
  /** `holds`: the queue waits until it is closed. */
  | { readonly kind: "panel"; readonly panel: PanelName; readonly query: string; readonly holds?: true }
  /** Without text, the last answer. */
  | { readonly kind: "copy"; readonly text?: string }
  | { readonly kind: "remember"; readonly line: string }
  | { readonly kind: "use"; readonly name: string }
  | { readonly kind: "palette" }
  /** Without words, all of them are listed. */
  | { readonly kind: "workflow"; readonly words: string }
  /** Chosen in the palette. */
  | { readonly kind: "choose"; readonly choice: PaletteChoice }
  | { readonly kind: "picture"; readonly name: string; readonly path: string }
  | { readonly kind: "paste"; readonly name: string }
  | { readonly kind: "edit_prompt"; readonly text: string }
  | { readonly kind: "edit_file"; readonly path: string }
  | { readonly kind: "inspect"; readonly words: string }
  /** Without a plan, planning begins. */
  | { readonly kind: "plan"; readonly wish: "show" | "edit" }
  | { readonly kind: "slash"; readonly typed: string }
  | { readonly kind: "vim"; readonly on: boolean }
  | { readonly kind: "redraw" }
  | { readonly kind: "find_argument"; readonly command: AskedArgument; readonly words: string; readonly from: number }
  /** `args` is everything behind the command, `words` the last word of it. */
  | {
      readonly kind: "find_prompt_argument"
      readonly command: string
      readonly args: string
      readonly words: string
      readonly from: number
    }
  | { readonly kind: "find"; readonly words: string; readonly from: number }

export type PaletteChoice =
  | { readonly kind: "action"; readonly name: ActionName }
  /** `sends`: it needs no words after it. */
  | { readonly kind: "command"; readonly line: string; readonly sends: boolean }

export const note = (text: string, level: "info" | "error" = "info"): Effect => ({
  kind: "print",
  items: [{ kind: "notice", level, text }],
  detail: "folded",
})
