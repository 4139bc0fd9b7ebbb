/** What is selected in the editor, in a few words. */

import type { EditorSelection } from "#ground/editors/messages.ts"
import { forConsent } from "#lib/printable.ts"

export function statusWords({ path, lines }: EditorSelection, show: (path: string) => string): string {
  const name = forConsent(show(path))
  if (!lines) return `${name} open`
  const count = lines.to - lines.from + 1
  return `${count} ${count === 1 ? "line" : "lines"} selected in ${name}`
}
