/** Foreign text made safe for one row, with nothing of it hidden. */

import { revealed } from "#lib/printable.ts"

/** One line, its control characters as visible marks: whoever consents must not be shown less than what will run. */
export function bared(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  const marked = text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, (character) => {
    return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`
  })
  return revealed(marked)
}
