/** Which file needs which: the one import graph that the walls, `npm run check` and the figures of the house are read from. */

import { importsOf, target } from "./imports.ts"
import type { Source } from "./source.ts"

/** For each file of a tree, the files that it names. */
export type Graph = ReadonlyMap<string, readonly string[]>

/** Imports and re-exports, types included. */
export const importGraph = (tree: readonly Source[]): Graph =>
  new Map(tree.map((source) => [source.path, imported(source)]))

/**
 * Imports, and what is named in a string: a test sees what it starts as a program (`bin/codewright`, a script of the kit)
 * and what it reads (a corpus, a folder of goldens) as well. `names` holds the files and folders there are.
 */
export const useGraph = (tree: readonly Source[], names: ReadonlySet<string>): Graph =>
  new Map(tree.map((source) => [source.path, [...imported(source), ...named(source, names)]]))

/** How many steps each file is away from the nearest of these, against the arrows; files that reach none are left out. */
export function distances(graph: Graph, from: readonly string[]): ReadonlyMap<string, number> {
  const users = new Map<string, string[]>()
  for (const [path, uses] of graph)
    for (const used of uses) {
      const known = users.get(used)
      if (known) known.push(path)
      else users.set(used, [path])
    }
  const found = new Map(from.map((path) => [path, 0]))
  for (const [path, distance] of found)
    for (const user of users.get(path) ?? []) if (!found.has(user)) found.set(user, distance + 1)
  return found
}

function imported(source: Source): readonly string[] {
  return importsOf(source).flatMap(({ specifier }) => target(source.path, specifier) ?? [])
}

const path = /["'`/]((?:[\w@.-]+\/)*[\w@.-]+)(?=["'`])/g

function named(source: Source, names: ReadonlySet<string>): readonly string[] {
  return [...source.text.matchAll(path)].flatMap(([, name = ""]) => {
    if (name === "bin/codewright") return ["src/main.ts"]
    // Written from where the file stands, or from the root.
    return [target(source.path, `./${name}`) ?? "", name].filter((each) => each !== source.path && names.has(each))
  })
}
