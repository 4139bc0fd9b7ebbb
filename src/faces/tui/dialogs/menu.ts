/** A list of choices of which one is pointed at. */

import type { Key } from "#faces/tui/keys.ts"
import { cyan, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"

/** What a key does to a menu: it points elsewhere, or it takes a choice. */
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
      return { kind: "points", at: (at + count - 1) % count }
    case "down":
    case "ctrl+n":
    case "tab":
      return { kind: "points", at: (at + 1) % count }
    case "enter":
      return { kind: "takes", at }
    default:
      return { kind: "nothing" }
  }
}

export interface MenuEntry {
  readonly label: string
  readonly about?: string
  /** For menus of which several may be chosen. */
  readonly mark?: "on" | "off"
}

/** `first` is the number of the first entry, counted from 0. */
export function menuRows(entries: readonly MenuEntry[], at: number, columns: number, first = 0): string[] {
  return entries.flatMap(({ label, about, mark }, i) => {
    const isPointed = first + i === at
    const pointer = isPointed ? "❯" : " "
    const box = mark === undefined ? "" : mark === "on" ? "[x] " : "[ ] "
    const own = wrapped(`${pointer} ${first + i + 1}. ${box}${label}`, columns).map((row) =>
      isPointed ? cyan(row) : row,
    )
    return about === undefined || about === ""
      ? own
      : [...own, ...wrapped(about, columns - 5).map((row) => dim(`     ${row}`))]
  })
}
