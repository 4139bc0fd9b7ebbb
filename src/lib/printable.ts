/** The one escaper for text from outside before it reaches a terminal. */

/** Every control character but line ends and tabs. */
export const controls: Readonly<RegExp> = /[\p{Cc}--[\n\t]]/gv

/** Removes escape sequences and control characters; line ends and tabs stay. */
export function stripControls(text: string): string {
  return Bun.stripANSI(text).replace(controls, "")
}

/** A family, a flag: one picture to the reader, and hidden characters only in its bytes. Nothing else has a place in these lists. */
const picture = String.raw`\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence}`

const hiding = new RegExp(
  String.raw`${picture}|[\u115f\u1160\u180e\u200b\u202a-\u202e\u2028\u2029\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]`,
  "gv",
)

const invisible = new RegExp(
  String.raw`${picture}|\p{Cf}|[\u034f\u115f\u1160\u2028\u2029\u3164\uffa0\u{e0000}-\u{e007f}]`,
  "gv",
)

/** Shows characters that reorder or hide text as visible marks; joiners that letters and emoji need stay. */
export const markHidden = (text: string): string => text.replace(hiding, mark)

/** Printable text with nothing hidden in it. */
export const forReading = (text: string): string => markHidden(stripControls(text))

/** Printable text with bidirectional overrides and invisible characters shown as visible marks. */
export const forReview = (text: string): string => unmasked(stripControls(text))

/** Every invisible character as a visible mark, joiners of letters included. */
const unmasked = (text: string): string => text.replace(invisible, mark)

function mark(character: string): string {
  // A picture is the only match of several characters.
  if (character.length > 2) return character
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`
}

/** One line with control characters as visible marks: whoever consents must see everything that will run. */
export const forConsent = (text: string): string => unmasked(text.replace(/[\p{Cc}--\t]/gv, mark))
