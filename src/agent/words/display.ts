/** How a result should be shown, as data. Each face draws each kind once and never asks which tool it was. */

import type { Hunk } from "#lib/diff.ts"
import type { Todo } from "./todo.ts"

export interface FileDiff {
  readonly path: string
  readonly hunks: readonly Hunk[]
  readonly created: boolean
  /** How many of its lines are left out, where there is no room for all of them. */
  readonly unshown?: number
}

export type Display =
  | { readonly kind: "text"; readonly text: string }
  | ({ readonly kind: "diff" } & FileDiff)
  | { readonly kind: "diffs"; readonly files: readonly FileDiff[] }
  | {
      readonly kind: "terminal"
      readonly command: string
      readonly output: string
      readonly exitCode: number | null
      /** How many lines of the output are left out of it. */
      readonly unshown?: number
    }
  | { readonly kind: "list"; readonly items: readonly string[]; readonly note?: string }
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  /** An approved plan, as Markdown. */
  | { readonly kind: "plan"; readonly text: string; readonly path: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly bytes: number; readonly path: string }
