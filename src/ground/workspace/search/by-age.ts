/** Collects found paths and their ages while the search is running, and returns the newest. */

import { type AgesBelow, timeOf } from "./ages.ts"

export interface ByAge {
  /** Takes complete records: paths, each ended by a NUL. */
  readonly push: (records: Buffer) => void
  readonly count: () => number
  /** Newest first; paths of the same age sorted by path. */
  readonly newest: () => string[]
}

/** So many more than wanted are held before the oldest are dropped: sorting for each new one would take longer. */
const spare = 2_000

/** Holds little more than the `most` that are wanted. By default each file is looked up by its path. */
export function collectByAge(
  isWanted: (path: string) => boolean,
  ages: () => AgesBelow | undefined,
  most: number,
): ByAge {
  let paths: string[] = []
  let times: number[] = []
  let count = 0

  function newest(): { readonly path: string; readonly time: number }[] {
    const oldest = most < times.length ? thresholdOf(times, most) : Number.NEGATIVE_INFINITY
    const found: { readonly path: string; readonly time: number }[] = []
    for (const [index, path] of paths.entries()) {
      const time = times[index] ?? 0
      if (time >= oldest) found.push({ path, time })
    }
    return found.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).slice(0, most)
  }

  function dropOldest(): void {
    const kept = newest()
    paths = kept.map(({ path }) => path)
    times = kept.map(({ time }) => time)
  }

  return {
    count: () => count,
    push(records) {
      const text = records.toString("utf8")
      // Where a record begins is only known while a character is a byte.
      const timeAt = text.length === records.length ? ages()?.over(records) : undefined
      let at = 0
      for (const path of text.split("\0")) {
        if (path !== "" && isWanted(path)) {
          paths.push(path)
          times.push(timeAt ? timeAt(at, path) : timeOf(path))
          count++
        }
        at += path.length + 1
      }
      if (paths.length > most * 2 + spare) dropOldest()
    },
    newest: () => newest().map(({ path }) => path),
  }
}

/** The age of the last of the newest: sorting bare numbers is many times faster than sorting what they belong to. */
function thresholdOf(times: readonly number[], most: number): number {
  const sorted = Float64Array.from(times).sort()
  return most === 0 ? Number.POSITIVE_INFINITY : (sorted[sorted.length - most] ?? 0)
}
