/** A list of choices of which one is pointed at. */

import type { Key } from "#faces/tui/keys.ts"
import { cyan, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** Nothing is selected, so Enter chooses nothing. */
export const nowhere = -1

export type MenuMove =
  | { readonly kind: "points"; readonly at: number }
  | { readonly kind: "takes"; readonly at: number }
  | { readonly kind: "nothing" }

export function pressMenu(key: Key, at: number, count: number): MenuMove {
  if (key.kind === "text") {
    const number = /^[1-9]$/.test(key.text) ? Number(key.text) : 0
    return number >= 1 && number <= count ? { kind: "takes", at: number - 1 } : { kind: "nothing" }
  }
  if (key.kind === "paste") return { kind: "nothing" }
  switch (key.name) {
    case "up":
    case "ctrl+p":
      return { kind: "points", at: at <= 0 ? count - 1 : at - 1 }
    case "down":
    case "ctrl+n":
      return { kind: "points", at: (at + 1) % count }
    case "enter":
      return at === nowhere ? { kind: "nothing" } : { kind: "takes", at }
    default:
      return { kind: "nothing" }
  }
}

export interface MenuEntry {
  readonly label: string
  readonly about?: string
  readonly key?: string
  readonly mark?: "on" | "off"
}

/** `first` is the number of the first entry, counted from 0. */
export function menuRows(entries: readonly MenuEntry[], at: number, columns: number, first = 0): string[] {
  return entries.flatMap(({ label, about, key, mark }, i) => {
    const isPointed = first + i === at
    const pointer = isPointed ? "❯" : " "
    const box = mark === undefined ? "" : mark === "on" ? "[x] " : "[ ] "
    const shown = `${box}${label}${key === undefined ? "" : ` (${key})`}`
    const [head = "", ...more] = wrapped(shown, columns - 5)
    const own = [`${pointer} ${first + i + 1}. ${head}`, ...more.map((row) => `     ${row}`)].map((row) =>
      isPointed ? cyan(row) : row,
    )
    return about === undefined || about === ""
      ? own
      : [...own, ...wrapped(about, columns - 5).map((row) => dim(`     ${row}`))]
  })
}
