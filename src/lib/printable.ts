/** One escaper for text that did not come from us, before it reaches a terminal. */

/** Text without escape sequences and control characters; line ends and tabs stay. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  return Bun.stripANSI(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
}

/** Printable text in which bidirectional overrides and invisible characters are shown as visible marks. */
export function revealed(text: string): string {
  return printable(text).replace(
    /\p{Cf}|\u034f|[\u115f\u1160\u2028\u2029\u3164\uffa0]/gu,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  )
}
