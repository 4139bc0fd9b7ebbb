/** Which characters may occur in a command at all, and which may occur outside quotes. */

import { lazily } from "#lib/lazily.ts"

/** Invisible characters, and those that reverse the line; a joiner inside an emoji is allowed. */
const hidden = lazily(() => /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/u)

/** Nearly every command: the pattern above takes half a millisecond to make. */
const usual = /^[\n\t\x20-\x7e]*$/

/** Why a command cannot be read; undefined when it can. */
export function badCharacter(source: string): string | undefined {
  if (usual.test(source)) return undefined
  if (!source.isWellFormed()) return "it holds half a character"
  const found = hidden().exec(source)?.[0]
  if (found === undefined) return undefined
  return `it holds the invisible character U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
}

const plain = /^[\x21-\x7e]*$/
const visible = lazily(() => /^(?:[\x21-\x7e]|\p{L}|\p{M}|\p{N}|\p{P}|\p{S})*$/u)

/** Whether unquoted text is literal in every shell: some treat the bytes A0 and 85 as spaces. */
export function isPlainOutsideQuotes(text: string): boolean {
  if (plain.test(text)) return true
  if (!visible().test(text)) return false
  return !Buffer.from(text).some((byte) => byte === 0xa0 || byte === 0x85)
}
