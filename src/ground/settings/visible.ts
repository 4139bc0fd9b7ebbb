/** Shows what a terminal would obey or hide: files of others must not speak to it through our messages. */

/** The text with every control, format and line-breaking character written as its code. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
