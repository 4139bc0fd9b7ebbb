/** Collects found paths and their ages while the search is running, and returns the newest. */

import { type AgesBelow, timeOf } from "./ages.ts"

export interface ByAge {
  /** Takes complete records: paths, each ended by a NUL. */
  readonly push: (records: Buffer) => void
  readonly count: () => number
  /** Newest first; paths of the same age sorted by path. */
  readonly newest: (most: number) => string[]
}

/** By default each file is looked up by its path. */
export function collectByAge(isWanted: (path: string) => boolean, ages: () => AgesBelow | undefined): ByAge {
  const paths: string[] = []
  const times: number[] = []
  return {
    count: () => paths.length,
    push(records) {
      const text = records.toString("utf8")
      // Where a record begins is only known while a character is a byte.
      const look = text.length === records.length ? ages()?.over(records) : undefined
      let at = 0
      for (const path of text.split("\0")) {
        if (path !== "" && isWanted(path)) {
          paths.push(path)
          times.push(look ? look(at, path) : timeOf(path))
        }
        at += path.length + 1
      }
    },
    newest(most) {
      const oldest = most < times.length ? thresholdOf(times, most) : Number.NEGATIVE_INFINITY
      const found: { readonly path: string; readonly time: number }[] = []
      for (const [index, path] of paths.entries()) {
        const time = times[index] ?? 0
        if (time >= oldest) found.push({ path, time })
      }
      return found
        .sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1))
        .slice(0, most)
        .map(({ path }) => path)
    },
  }
}

/** The age of the last of the newest: sorting bare numbers is many times faster than sorting what they belong to. */
function thresholdOf(times: readonly number[], most: number): number {
  const sorted = Float64Array.from(times).sort()
  return most === 0 ? Number.POSITIVE_INFINITY : (sorted[sorted.length - most] ?? 0)
}
