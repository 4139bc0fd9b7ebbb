/** Short words in the prompt that stand for what is long or no text at all: pastes and pictures. */

import type { ImageBlock } from "#agent/words/message.ts"

/** A picture that is still being read has only its place. */
export type Stand =
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "picture"; readonly block: ImageBlock | undefined }

export type Placeholders = { readonly [name: string]: Stand }

const longPaste = { characters: 800, lines: 10 } as const

export const isLong = (text: string): boolean =>
  text.length >= longPaste.characters || text.split("\n").length >= longPaste.lines

export function pasteName(placeholders: Placeholders, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n").length
  const size = lines > 1 ? `+${lines} lines` : `+${text.length} characters`
  return `[Pasted text #${nextNumber(placeholders, "paste")} ${size}]`
}

export const pictureName = (placeholders: Placeholders): string => `[Image #${nextNumber(placeholders, "picture")}]`

const nextNumber = (placeholders: Placeholders, kind: Stand["kind"]): number =>
  Object.values(placeholders).filter((stand) => stand.kind === kind).length + 1

const shaped = /\[(?:Pasted text #\d+ \+\d+ (?:lines|characters)|Image #\d+)\]/g

/** In one pass, so that nothing in a paste counts as a placeholder. */
export function expanded(text: string, placeholders: Placeholders): string {
  return text.replace(shaped, (name) => {
    const stand = placeholders[name]
    return stand?.kind === "paste" ? stand.text : name
  })
}

/** In order, each once. */
export function picturesIn(text: string, placeholders: Placeholders): readonly (Stand & { kind: "picture" })[] {
  const names = new Set(text.match(shaped))
  return [...names].flatMap((name) => {
    const stand = placeholders[name]
    return stand?.kind === "picture" ? [stand] : []
  })
}

/** In order, each once. */
export const pictureNames = (text: string): readonly string[] => [...new Set(text.match(/\[Image #\d+\]/g))]

/** The length of a placeholder that ends or begins at `at`, or 0. */
export function placeholderAt(text: string, at: number, side: "before" | "after", placeholders: Placeholders): number {
  for (const found of text.matchAll(shaped)) {
    const edge = side === "before" ? found.index + found[0].length : found.index
    if (edge === at && placeholders[found[0]]) return found[0].length
  }
  return 0
}
