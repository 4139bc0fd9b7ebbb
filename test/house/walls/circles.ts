/** The wall against import circles, types included. */

import { importGraph } from "./graph.ts"
import type { Source } from "./source.ts"

/** Each circle once, as the paths along it. */
export function circleBreaches(tree: readonly Source[]): readonly string[] {
  const graph = importGraph(tree)
  const done = new Set<string>()
  const trail: string[] = []
  const circles: string[] = []

  const visit = (path: string): void => {
    const start = trail.indexOf(path)
    if (start !== -1) circles.push([...trail.slice(start), path].join(" -> "))
    if (start !== -1 || done.has(path)) return
    trail.push(path)
    for (const next of graph.get(path) ?? []) visit(next)
    trail.pop()
    done.add(path)
  }

  for (const path of graph.keys()) visit(path)
  return circles
}
