/** What the keys do, shown by `?`. */

import { keyLabel } from "#faces/tui/key-names.ts"
import { actions, type Keymap } from "#faces/tui/keymap.ts"
import { bold, dim } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"

/** Not keys, but the start of a line or a word. */
const marks: readonly (readonly [mark: string, does: string])[] = [
  ["/", "Commands"],
  ["@", "Files"],
  ["!", "Shell command"],
  ["#", "Note for a memory file"],
]

/** /keys lists the others. */
const mostKeys = 2

export function helpRows(columns: number, keymap: Keymap): string[] {
  const bound = actions.flatMap(({ name, about, help }) => {
    const keys = keymap.keysOf(name).slice(0, mostKeys)
    return help && keys.length > 0 ? [[keys.map(keyLabel).join(", "), about] as const] : []
  })
  const rows = [...marks, ...bound, ["/keys", "All keys, and how to change them"] as const]
  const widest = Math.max(...rows.map(([key]) => widthOf(key)))
  return rows.flatMap(([key, does]) =>
    wrapped(does, Math.max(10, columns - widest - 4)).map((row, i) =>
      fitted(`  ${bold((i === 0 ? key : "").padEnd(widest))}  ${dim(row)}`, columns),
    ),
  )
}
