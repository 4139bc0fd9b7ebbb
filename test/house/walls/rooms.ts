/** The wall that keeps the map true: every room of the house is named in docs/ARCHITECTURE.md. */

import { dirname } from "node:path"
import type { Source } from "./source.ts"
import { roomOf } from "./storeys.ts"

/** Rooms that the map does not name by their full path (`ground/workspace`). */
export function mapBreaches(tree: readonly Source[], map: string): readonly string[] {
  const rooms = new Set(tree.map((source) => roomOf(source.path)))
  return [...rooms]
    .filter((room) => !new RegExp(String.raw`(?<![\w/-])(?:src/)?${room.replace(".", "\\.")}(?![\w-])`).test(map))
    .map((room) => `src/${room} is not named in docs/ARCHITECTURE.md`)
}

/** More files than this beside each other are not a subject any more. */
const broadest = 60

export function breadthBreaches(tree: readonly Source[]): readonly string[] {
  return [...Map.groupBy(tree, ({ path }) => dirname(path))]
    .filter(([, files]) => files.length > broadest)
    .map(([folder, files]) => `${folder} has ${files.length} files beside each other; at most ${broadest}`)
}
