/** What documents name must be there: paths of the repository in code marks, and the targets of links. */

import { dirname, join } from "node:path/posix"

export interface Document {
  readonly path: string
  readonly text: string
}

const folders = /^(src|lib|agent|ground|kits|session|team|fleet|faces|sim|test|scripts|bench|docs)\//

/** Paths such as `ground/team/link.ts` and names such as `link.ts` that no file or folder has. */
export function missingPaths({ path, text }: Document, files: readonly string[]): readonly string[] {
  const named = [...text.matchAll(/`([\w./{},-]+)`/g)].flatMap(([, name = ""]) => expand(name.replace(/\/$/, "")))
  return named
    .filter((name) => folders.test(name) || /^[^.].*\.(ts|tsx|mjs|c)$/.test(name))
    .filter((name) => !files.some((file) => isAt(file, name)))
    .map((name) => `${path} names ${name}, which does not exist`)
}

const isAt = (file: string, name: string): boolean =>
  folders.test(name)
    ? [name, `src/${name}`].some((place) => file === place || file.startsWith(`${place}/`))
    : `/${file}`.endsWith(`/${name}`)

function expand(name: string): readonly string[] {
  const [, before = "", choices, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? []
  return choices === undefined ? [name] : choices.split(",").map((choice) => `${before}${choice}${after}`)
}

/** Links of documents to files that are not there, or to headings that another document does not have. */
export function brokenLinks(documents: readonly Document[], files: readonly string[]): readonly string[] {
  const texts = new Map(documents.map(({ path, text }) => [path, text]))
  return documents.flatMap(({ path, text }) =>
    [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^[a-z]+:/.test(link)) return []
      const [name = "", heading] = link.split("#")
      const to = name === "" ? path : join(dirname(path), name).replace(/\/$/, "")
      if (!files.some((file) => file === to || file.startsWith(`${to}/`)))
        return [`${path} links to ${link}: no such file`]
      const target = texts.get(to)
      if (heading === undefined || target === undefined || headings(target).has(heading)) return []
      return [`${path} links to ${link}: no such heading`]
    }),
  )
}

const prose = (text: string): string => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "")

/** As GitHub names them. */
function headings(text: string): ReadonlySet<string> {
  const titles = [...text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title)
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}

/** Rows of a glossary (`| word | meaning | \`file\` |`) whose file, or none below that folder, has the word. */
export function unusedWords(glossary: string, sources: readonly Document[]): readonly string[] {
  const rows = [...glossary.matchAll(/^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|/gm)]
  return rows.flatMap(([, term = "", see = ""]) => {
    const near = sources.filter(({ path }) => isAt(path, see))
    const words =
      term
        .replace(/\(.*\)/, "")
        .toLowerCase()
        .match(/[a-z]{3,}/g) ?? []
    const text = near.map((source) => `${source.path} ${source.text}`.toLowerCase()).join(" ")
    return words.filter((word) => !text.includes(stem(word))).map((word) => `${see} does not say ${word} (${term})`)
  })
}

const stem = (word: string): string => word.replace(/(ed|s|e|t)$/, "")
