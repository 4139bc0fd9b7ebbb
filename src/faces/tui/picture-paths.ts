/** Paths of pictures in a paste: what a terminal types when a file is dropped on it. */

import { wordsOf } from "#lib/words.ts"

const picture = /\.(?:png|jpe?g|gif|webp)$/i

/** Undefined if the text is anything but paths of pictures. */
export function picturePaths(text: string): readonly string[] | undefined {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed.length > 10_000) return undefined
  const words = wordsOf(trimmed)
  const isWhole = !trimmed.includes("\n") && isPath(trimmed)
  if (words && words.length > 0 && words.every(isPath)) return words.map(plain)
  // A name with spaces, neither quoted nor escaped.
  return isWhole ? [plain(trimmed)] : undefined
}

/** Only full paths, as dropped files are; a bare name may be part of a sentence. */
const isPath = (word: string): boolean => picture.test(word) && /^(?:file:\/\/|\/|~\/)/.test(word)

function plain(word: string): string {
  if (!word.startsWith("file://")) return word
  try {
    return decodeURIComponent(word.slice("file://".length).replace(/^localhost(?=\/)/, ""))
  } catch {
    return word
  }
}
