/** All that the terminal face keeps in mind, as one value. */

import type { SandboxState } from "#session/port/query.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { TeamOverview } from "#agent/words/team.ts"
import { emptyView, type View } from "#faces/view/view.ts"
import type { BesideAgent, FileChange } from "./beside.ts"
import type { Dialog } from "./dialogs/dialog.ts"
import { type Editor, emptyEditor } from "./editor/editor.ts"
import { defaultKeymap, type Keymap } from "./keymap.ts"

export interface TuiState {
  readonly view: View
  readonly editor: Editor
  readonly dialog: Dialog | undefined
  readonly search: { readonly text: string; readonly at: number } | undefined
  readonly completion: Completion | undefined
  /** The end of the space that a completion added: another one typed there is dropped. */
  readonly spacedAt: number | undefined
  readonly stash: Editor | undefined
  readonly keymap: Keymap
  readonly held: string
  readonly todos: "shown" | "hidden"
  readonly help: "shown" | "hidden"
  /** The column beside the prompt, where the terminal is wide enough. */
  readonly side: "shown" | "hidden"
  /** How wide the prompt was drawn last; as the terminal when 0. */
  readonly promptColumns: number
  /** A temporary message in place of the hints. */
  readonly hint: string | undefined
  readonly retryAt: number
  /** Undefined until loaded. */
  readonly uses: Uses | undefined
  /** Prompts to try while nothing was said yet. */
  readonly examples: readonly string[]
}

/** Commands with their slash, actions by name. */
export type Uses = ReadonlyMap<string, number>

export interface Completion {
  readonly from: number
  readonly options: readonly CompletionOption[]
  readonly at: number
  readonly takes?: string
}

export interface CompletionOption {
  readonly text: string
  readonly about: string
  /** Completion continues behind it, without a space: a folder, the first words of an argument. */
  readonly goesOn?: true
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
  side: "shown",
  promptColumns: 0,
  hint: undefined,
  retryAt: 0,
  uses: undefined,
  examples: [],
}

export interface ContextLevels {
  /** From here on the status line says what is left. */
  readonly warning: number
  /** Absent if the conversation is not compacted automatically. */
  readonly compactsAt?: number
}

export interface Status {
  readonly session: SessionState
  readonly window: number
  readonly levels: ContextLevels
  readonly branch: string | undefined
  readonly background: number
  readonly team?: TeamOverview | null
  readonly agents?: readonly BesideAgent[]
  readonly changes?: readonly FileChange[]
  readonly sandbox: SandboxState
  readonly verbs: readonly string[]
  /** What is selected in the connected editor. */
  readonly selected?: string | undefined
  readonly custom?: readonly string[]
}
