/** Divides a log into parts that are read one at a time by whoever looks at what is long past. */

import type { Cursor } from "#agent/words/event.ts"
import { fetchEntries } from "#ground/transcript/fetch.ts"
import type { IndexRows } from "#ground/transcript/index-rows.ts"

/** Sizes are bytes of the log. */
export interface LogParts {
  readonly parts: readonly { readonly after: Cursor | "beginning"; readonly bytes: number }[]
  /** What follows them. */
  readonly rest: number
}

const partBytes = 1_000_000
/** A turn with more than that is parted before a request, when every call has its result. */
const mostBytes = 4_000_000

/** What is before the entry; nothing if the log does not know it. */
export async function logParts(path: string, rows: IndexRows, before: string): Promise<LogParts> {
  const until = rows.placeOf(before) ?? 0
  const ends = endsBefore(rows, until)
  const entries = await fetchEntries(path, rows, ends)
  // A line that cannot be read ends no part.
  const begins = [
    { after: "beginning", at: 0 },
    ...entries.map(({ uuid }) => ({ after: uuid, at: endOf(rows, rows.placeOf(uuid) ?? 0) })),
  ]
  const end = until === 0 ? 0 : rows.rangeOf(until).at
  return {
    parts:
      end === 0 ? [] : begins.map(({ after, at }, index) => ({ after, bytes: (begins[index + 1]?.at ?? end) - at })),
    rest: endOf(rows, rows.count() - 1) - end,
  }
}

/** The last entries of all parts but the last one. */
function endsBefore(rows: IndexRows, until: number): number[] {
  const ends: number[] = []
  let from = 0
  let last = -1
  for (let place = 0; place < until; place++) {
    const kind = rows.kindAt(place)
    const { at } = rows.rangeOf(place)
    const begins = (kind === "turn_start" && at - from >= partBytes) || (kind === "request" && at - from >= mostBytes)
    if (begins && last >= 0) {
      ends.push(last)
      from = at
    }
    if (kind !== undefined) last = place
  }
  return ends
}

const endOf = (rows: IndexRows, place: number): number => {
  const { at, bytes } = rows.rangeOf(place)
  return at + bytes
}
