/** How answers are written: a text that takes the place of the tone in the system prompt. */

import { readFrontMatter } from "#lib/front-matter.ts"

export interface Style {
  readonly name: string
  readonly description: string
  /** Empty for the usual tone. */
  readonly text: string
  /** Whether what the prompt says about doing tasks stays. */
  readonly keepsCoding: boolean
}

/** A file of a folder of output styles. */
export interface StyleFile {
  readonly name: string
  readonly text: () => string | undefined
}

const mostCharacters = 20_000

/** Of a file that says nothing, nothing. */
export function decodeStyle(file: StyleFile): Style | undefined {
  const text = file.text()
  if (text === undefined) return undefined
  const { fields, body } = readFrontMatter(text)
  const words = body.trim().slice(0, mostCharacters).toWellFormed()
  if (words === "") return undefined
  const one = (name: string): string | undefined => {
    const value = fields[name]
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
  }
  return {
    name: one("name") ?? file.name,
    description: one("description") ?? "",
    text: words,
    keepsCoding: one("keep-coding-instructions")?.toLowerCase() === "true",
  }
}
