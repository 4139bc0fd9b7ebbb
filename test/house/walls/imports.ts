/** What a file imports: runtime imports as Bun sees them, and type imports, which Bun erases, as the text has them. */

import type { Source } from "./source.ts"

/** One import: what was written, and where. */
export interface Import {
  readonly specifier: string
  readonly at: number
}

/** Every import and re-export of a file, types included. */
export function importsOf(source: Source): readonly Import[] {
  const seen = written(source)
  const known = new Set(seen.map(({ specifier }) => specifier))
  // Bun's own scan is the safety net for a way of importing that the pattern does not know.
  const missed = scan(source).filter((specifier) => !known.has(specifier))
  return [...seen, ...missed.map((specifier) => ({ specifier, at: source.text.indexOf(specifier) }))]
}

/** The path, from the root, of the file that an import within the tree names; undefined for packages. */
export function target(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return `src/${specifier.slice(1)}`
  if (!specifier.startsWith(".")) return undefined
  const parts = from.split("/").slice(0, -1)
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const forms = /\b(?:(?:import|export)\b[^"'`;=()]*?\bfrom|import|(?:import|require)\s*\()\s*(?=["'`])/g

function written({ text, code }: Source): readonly Import[] {
  return [...code.matchAll(forms)].map((match) => {
    const at = match.index + match[0].length
    const end = text.indexOf(text[at] ?? "", at + 1)
    return { specifier: text.slice(at + 1, end), at: match.index }
  })
}

function scan({ path, text }: Source): readonly string[] {
  const loader = path.endsWith("x") ? "tsx" : "ts"
  return new Bun.Transpiler({ loader }).scanImports(text.replace(/^#!.*/, "")).map((found) => found.path)
}
