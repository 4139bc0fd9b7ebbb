/** Links that a command follows below the folders it is given. */

import type { ShellPlace } from "./analysis.ts"
import { isWithin } from "./paths.ts"

export type Follows = boolean | "in folders"

const mostFolders = 100

/** Every link that would be followed, also in folders that another link leads to; undefined when unknown. */
export function linksBelow(paths: readonly string[], place: ShellPlace): readonly string[] | undefined {
  const found: string[] = []
  const seen = new Set<string>()
  const open = [...paths]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const real = place.realPath(path)
    if (seen.has(real)) continue
    seen.add(real)
    const links = seen.size > mostFolders ? undefined : place.everyLink?.(path)
    if (!links) return undefined
    found.push(...links)
    // What leads outside is asked about anyway, and need not be walked through.
    open.push(...links.filter((link) => isWithin(link, place.roots, place.realPath)))
  }
  return found
}
