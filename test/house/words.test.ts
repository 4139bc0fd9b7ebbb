/** Words that we dropped stay out: of everything people read, and of comments. */

import { expect, test } from "bun:test"
import { Glob } from "bun"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")

/** Old-fashioned or translated, each with what to write instead. */
const dropped: readonly (readonly [RegExp, string])[] = [
  [/\bshall\b/i, "use the plain verb"],
  [/\banew\b/i, "again, new"],
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\bwhom\b/i, "who"],
  [/\bthe person('s)?\b/i, "you, the user"],
  [/\bblanks?\b(?! lines?| page| text)|\bnot blank\b/i, "space"],
  [/\b(must be|as|not) a text\b/i, "string"],
  [/\bgo(es)? on with\b/i, "continue"],
  [/\bis heard\b/i, "is sent"],
]

/** Names and flags of other programs, and words that the model's own text may contain. */
const excepted = /amend,|--?[\w-]*blank|\b(fix\|repair\|mend)|measuring meeting melting mending|noblank|nonblank/

const files = [
  ...new Glob("src/**/*.{ts,tsx}").scanSync(root),
  ...new Glob("{README,CONTRIBUTING,SECURITY,AGENTS,CHANGELOG}.md").scanSync(root),
  ...new Glob("docs/**/*.md").scanSync(root),
]

test("nothing says what we no longer say", () => {
  const found = files.flatMap((path) =>
    readFileSync(resolve(root, path), "utf8")
      .split("\n")
      .flatMap((line, at) => {
        const read = path.endsWith(".md") ? line : readByPeople(line)
        const hit = dropped.find(([word]) => word.test(read))
        return hit && !excepted.test(line) ? [`${path}:${at + 1}: ${hit[1]}: ${line.trim()}`] : []
      }),
  )
  expect(found).toEqual([])
})

/** The comments and strings of a line; names in code have rules of their own. */
function readByPeople(line: string): string {
  const comment = /(?:\/\*\*?|^\s*\*|\/\/)(.*)$/.exec(line)?.[1] ?? ""
  const strings = [...line.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`?|^[^`"']*`/g)].map(([text]) => text)
  // A single word is a name.
  const prose = strings.filter((text) => text.includes(" "))
  return [comment, ...prose].join("\n")
}
