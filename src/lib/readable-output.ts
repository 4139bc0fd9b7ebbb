/** Makes program output readable for a model: no colours, no cursor movement, no raw control characters. */

/**
 * Strips terminal sequences, turns carriage returns into line ends, and shows other control characters as their
 * pictures.
 */
export function readableOutput(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return text
  return (
    Bun.stripANSI(text)
      .replace(/\r+\n/g, "\n")
      .replaceAll("\r", "\n")
      // oxlint-disable-next-line no-control-regex -- as above.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, picture)
  )
}

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return "\u2421"
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd"
}
