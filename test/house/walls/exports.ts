/** The wall around exports: one door per file, nothing passed on, no defaults. */

import { breach, type Source } from "./source.ts"

const faults: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bexport\s+(?:type\s+)?\*/g, "`export *`: name what leaves"],
  [/\bexport\s+(?:type\s+)?\{[^}]*\}\s*from\b/g, "passes on another file's export: import the file itself"],
  [/\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/g, "a default export: give it a name"],
  [/^\s*export\s*=/gm, "`export =`: give it a name"],
]

/** Default exports anywhere; `export *` and re-exports anywhere but in src/index.ts, the door for embedders. */
export function exportBreaches(tree: readonly Source[]): readonly string[] {
  return tree.flatMap((source) => {
    const { code } = source
    const found = faults.flatMap(([pattern, what]) =>
      [...code.matchAll(pattern)].map((match) => ({ at: match.index, what })),
    )
    const all = [...found, ...detours(code)].filter(
      ({ what }) => source.path !== "src/index.ts" || what.includes("default"),
    )
    return all.map(({ at, what }) => breach(source, at, what))
  })
}

/** Names that are imported and then exported: a re-export in two sentences. */
function detours(code: string): readonly { readonly at: number; readonly what: string }[] {
  const imported = new Set(
    [...code.matchAll(/\bimport\s+(?:type\s+)?(?:\w+\s*,?\s*)?(?:\{([^}]*)\})?/g)].flatMap((match) => names(match[1])),
  )
  return [...code.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}(?!\s*from\b)/g)].flatMap((match) =>
    names(match[1])
      .filter((name) => imported.has(name))
      .map((name) => ({ at: match.index, what: `passes on ${name}, which it imported: import the file itself` })),
  )
}

function names(list = ""): readonly string[] {
  return list
    .split(",")
    .flatMap((part) => /(?:type\s+)?(\w+)(?:\s+as\s+(\w+))?/.exec(part.trim())?.slice(1, 3) ?? [])
    .filter(Boolean)
}
