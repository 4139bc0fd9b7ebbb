/** Output styles: text that replaces the tone section of the system prompt. */

import { decodeFrontMatter } from "#ground/extensions/decode-front-matter.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Style {
  readonly name: string
  readonly description: string
  /** Empty for the default tone. */
  readonly text: string
  /** Whether the section about doing tasks stays. */
  readonly keepsCoding: boolean
}

export interface StyleFile {
  readonly name: string
  readonly path: string
  readonly text: () => string | undefined
}

const mostCharacters = 20_000

/** Undefined for an empty file. The failure is a message that names the file. */
export function decodeStyle(file: StyleFile): Result<Style | undefined, string> {
  const text = file.text()
  if (text === undefined) return ok(undefined)
  const head = decodeFrontMatter("style", text)
  if (!head.ok) return failed(`${file.path}: this output style is left out: ${head.failure}.`)
  const words = head.value.body.trim().slice(0, mostCharacters).toWellFormed()
  if (words === "") return ok(undefined)
  return ok({
    name: head.value.text("name") || file.name,
    description: head.value.text("description") ?? "",
    text: words,
    keepsCoding: head.value.flag("keepCodingInstructions") ?? false,
  })
}
