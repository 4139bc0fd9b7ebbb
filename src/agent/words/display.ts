/** How a result wishes to be shown, as data. Each face draws each kind once and never asks which tool it was. */

export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each line begins with a space, `-` or `+`. */
  readonly lines: readonly string[]
}

export type Display =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "diff"; readonly path: string; readonly hunks: readonly Hunk[]; readonly created: boolean }
  | { readonly kind: "terminal"; readonly command: string; readonly output: string; readonly exitCode: number | null }
  | { readonly kind: "list"; readonly items: readonly string[]; readonly note?: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly bytes: number; readonly path: string }
