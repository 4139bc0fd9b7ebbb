/** All that the terminal face keeps in mind, as one value. */

import type { SandboxState } from "#session/port/query.ts"
import type { SessionState } from "#agent/words/state.ts"
import { emptyView, type View } from "#faces/view/view.ts"
import type { Dialog } from "./dialogs/dialog.ts"
import { type Editor, emptyEditor } from "./editor/editor.ts"
import { defaultKeymap, type Keymap } from "./keymap.ts"

export interface TuiState {
  readonly view: View
  readonly editor: Editor
  readonly dialog: Dialog | undefined
  /** A search through what was said before. */
  readonly search: { readonly text: string; readonly at: number } | undefined
  readonly completion: Completion | undefined
  /** Where the space ends that a completion added: another one typed there means the same. */
  readonly spacedAt: number | undefined
  /** A draft that was put away. */
  readonly stash: Editor | undefined
  readonly keymap: Keymap
  /** The keys of a sequence that have come so far. */
  readonly held: string
  readonly todos: "shown" | "hidden"
  readonly help: "shown" | "hidden"
  /** A passing word in the place of the hints. */
  readonly hint: string | undefined
  /** When a request that failed is sent again. */
  readonly retryAt: number
}

/** What can be put in the place of what stands before the cursor. */
export interface Completion {
  readonly from: number
  readonly options: readonly CompletionOption[]
  readonly at: number
  /** What the command takes, where there is nothing to choose from. */
  readonly takes?: string
}

export interface CompletionOption {
  readonly text: string
  readonly about: string
  /** What is in it can be completed next. */
  readonly isFolder?: true
}

export const emptyState: TuiState = {
  view: emptyView,
  editor: emptyEditor,
  dialog: undefined,
  search: undefined,
  completion: undefined,
  spacedAt: undefined,
  stash: undefined,
  keymap: defaultKeymap,
  held: "",
  todos: "shown",
  help: "hidden",
  hint: undefined,
  retryAt: 0,
}

/** How full the context may get. */
export interface ContextLevels {
  /** From here on the status line says what is left. */
  readonly warning: number
  /** Absent where the conversation is not compacted by itself. */
  readonly compactsAt?: number
}

/** What the status line shows besides the view. */
export interface Status {
  readonly session: SessionState
  readonly window: number
  readonly levels: ContextLevels
  readonly branch: string | undefined
  /** How many commands run in the background. */
  readonly background: number
  readonly sandbox: SandboxState
  /** The user's own words for the spinner; none when they have none. */
  readonly verbs: readonly string[]
  /** Rows that a command of the user prints. */
  readonly custom?: readonly string[]
}
