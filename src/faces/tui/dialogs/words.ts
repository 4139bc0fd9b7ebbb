/** Text that is typed in a dialog, with a bar at the cursor. */

import type { Editor } from "#faces/tui/editor/editor.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"

export const cursorBar = "▏"

export function wordRows({ buffer: { text, at } }: Editor, columns: number): string[] {
  const shown = `${text.slice(0, at)}${cursorBar}${text.slice(at)}`
  return shown.split("\n").flatMap((line) => wrapped(forConsent(line), columns - 5).map((row) => `     ${row}`))
}
