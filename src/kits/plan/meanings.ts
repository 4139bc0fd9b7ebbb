/** Which kinds of commands a wish means. A text with any unknown word means nothing, and so grants nothing. */

import { type MeaningRow, meaningTable } from "./meaning-table.ts"
import type { Meaning } from "./ports.ts"

/** The meaning of a wish such as "run the tests"; undefined unless a built-in kind is certain. */
export function findMeaning(prompt: string): Meaning | undefined {
  const words = wordsIn(prompt)
  if (words === undefined) return undefined
  const meant = meaningTable().filter((row) => mentions(row, words))
  const known = new Set(meant.flatMap(({ keys, words: more }) => [...listOf(keys), ...listOf(more)]))
  // One unknown word may be the one that matters: "delete the tests", "run tests on the production server".
  if (meant.length === 0 || !words.every((word) => known.has(word))) return undefined
  return together(meant)
}

export const meaningNames = (): readonly string[] => meaningTable().map(({ name }) => name)

/** The meaning of the named kinds; undefined if a name is unknown, or there are none. */
export function meaningOf(names: readonly string[]): Meaning | undefined {
  const rows = meaningTable().filter(({ name }) => names.includes(name))
  return rows.length > 0 && names.every((name) => rows.some((row) => row.name === name)) ? together(rows) : undefined
}

const together = (rows: readonly MeaningRow[]): Meaning => ({
  covers: rows.map(({ covers }) => covers).join("; "),
  rules: [...new Set(rows.flatMap(rulesOf))],
})

const rulesOf = ({ exact, open }: MeaningRow): readonly string[] => [
  ...exact.map((command) => `Bash(${command})`),
  ...open.map((command) => `Bash(${command}:*)`),
]

/** The relevant words, in lower case; undefined if there are characters that no wish needs. */
function wordsIn(prompt: string): readonly string[] | undefined {
  const text = prompt
    .toLowerCase()
    .replace(/\btype[\s-]?check(s|ing|er)?\b/g, "typecheck")
    .replace(/\bnpm ci\b/g, "npm install")
    .replace(/\bdev(?:elopment)?[\s-]server\b/g, "dev server")
  if (/[^\p{L}\p{N}\s'"`.,:;/&()+-]/u.test(text) || text.length > 200) return undefined
  const words = text
    .split(/[\s"`.,:;/&()+]+/)
    .map((word) => word.replace(/^['-]+|['-]+$/g, ""))
    .filter((word) => word !== "" && !fillers.has(word))
  return words.length === 0 ? undefined : words
}

/** A kind is meant if one of its keys is present; a key of another kind may be just an ordinary word here. */
function mentions({ keys }: MeaningRow, words: readonly string[]): boolean {
  return words.some((word) => listOf(keys).includes(word) && !(word === "bundle" && words.includes("install")))
}

const listOf = (text: string): readonly string[] => text.split(/\s+/)

/** Words that do not change the meaning. */
const fillers: ReadonlySet<string> = new Set(
  "a all an and after again also any as at be before both can command commands current each entire every everything for full fully from if in into is it its just make-sure me my need needed of on once or our please project project's repo's that the their then this to use using via when whole will with you your change changes work works still pass passes passing codebase ensure verify confirm do".split(
    " ",
  ),
)
