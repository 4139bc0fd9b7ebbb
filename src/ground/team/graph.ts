/** Paths in directed graphs. */

/** A shortest way along the arrows from one of `from` to `to`, both included. */
export function pathBetween<T>(from: T, to: T, next: (node: T) => Iterable<T>): readonly T[] | undefined {
  const cameFrom = new Map<T, T | undefined>([[from, undefined]])
  for (const node of cameFrom.keys()) {
    if (node === to) return back(cameFrom, node)
    for (const further of next(node)) if (!cameFrom.has(further)) cameFrom.set(further, node)
  }
  return undefined
}

function back<T>(cameFrom: ReadonlyMap<T, T | undefined>, end: T): readonly T[] {
  const path: T[] = []
  for (let node: T | undefined = end; node !== undefined; node = cameFrom.get(node)) path.unshift(node)
  return path
}
