/** Makes program output readable for a model: no colours, no cursor movement, no raw control characters. */

import { controls } from "./printable.ts"

/**
 * Strips terminal sequences, turns carriage returns into line ends, and shows other control characters as their
 * pictures.
 */
export function readableOutput(text: string): string {
  if (text.search(controls) === -1) return text
  return Bun.stripANSI(text).replace(/\r+\n/g, "\n").replaceAll("\r", "\n").replace(controls, picture)
}

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return "\u2421"
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd"
}
