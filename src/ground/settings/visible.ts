/** Shows what a terminal would obey or hide: files from others must not control it through our messages. */

/** Writes every control, format and line-breaking character as its code. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
