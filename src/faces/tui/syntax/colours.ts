/** Code in the colours of a theme. */

import { forReading } from "#lib/printable.ts"
import { blue, code, cyan, dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { type Language, languageNamed } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan, type Role, type Token } from "#faces/view/syntax/scan.ts"

const colours: { readonly [role in Role]: (text: string) => string } = {
  plain: String,
  keyword: magenta,
  constant: yellow,
  string: code,
  comment: dim,
  number: yellow,
  key: blue,
}

export const coloured = (tokens: readonly Token[]): string =>
  tokens.map(({ text, role }) => colours[role](text)).join("")

/** `before`: the preceding text. */
function colouredLines(lines: readonly string[], language: Language, before = ""): string[] {
  const scan = openScan(language)
  let open: OpenToken = undefined
  for (const line of before === "" ? [] : before.split("\n")) ({ open } = scan(line, open))
  return lines.map((line) => {
    const scanned = scan(forReading(line), open)
    open = scanned.open
    return coloured(scanned.tokens)
  })
}

export function codeLines(lines: readonly string[], name: string, before = ""): string[] {
  if (name.toLowerCase() === "diff" || name.toLowerCase() === "patch") return lines.map(diffLine)
  const language = languageNamed(name)
  return language ? colouredLines(lines, language, before) : lines.map(forReading)
}

function diffLine(line: string): string {
  const text = forReading(line)
  if (/^(?:\+\+\+|---|diff |index )/.test(text)) return dim(text)
  if (text.startsWith("@@")) return cyan(text)
  return text.startsWith("+") ? green(text) : text.startsWith("-") ? red(text) : text
}
