/**
 * A search through the whole conversation. Of sections that are not in memory only the number of matches is kept; the
 * one that is shown is read again.
 */

import type { Item } from "#faces/view/item.ts"
import type { TranscriptHistory } from "./history.ts"
import type { Hit } from "./pages.ts"

/** A match by its number in its section; `last` where the section has to be read to know. */
export interface MatchPlace {
  readonly section: number
  readonly number: number | "last"
}

export type SearchProgress =
  | { readonly kind: "none" | "searching" | "counting" }
  | { readonly kind: "counted"; readonly number: number; readonly count: number }

export interface TranscriptSearch {
  readonly words: string
  /** From the place at the top of the screen on, or from the end backwards. */
  readonly start: (top: { readonly section: number; readonly item: number; readonly row: number } | "end") => void
  readonly step: (by: 1 | -1) => void
  /** The match to be shown next, until it has been reached. */
  readonly wanted: () => MatchPlace | undefined
  readonly reached: (place: { readonly section: number; readonly number: number; readonly count: number }) => void
  /** Rows are other ones now. */
  readonly laidOutAgain: () => void
  /** For the last row. */
  readonly state: () => SearchProgress
  readonly close: () => void
}

export function openSearch(parts: {
  readonly words: string
  readonly history: TranscriptHistory
  readonly find: (words: string, items: readonly Item[]) => readonly Hit[]
  readonly changed: () => void
}): TranscriptSearch {
  const { words, history, changed } = parts
  let counts = new Map<number, number>()
  let at: { readonly section: number; readonly number: number } | undefined
  let wanted: MatchPlace | undefined
  /** The next match is looked for from there on, in that direction; `left` is how many sections have not been seen. */
  let looking: { section: number; readonly by: 1 | -1; left: number } | undefined
  let isStale = false
  let isOpen = true
  let isCounting = false

  const find = (items: readonly Item[]): readonly Hit[] => parts.find(words, items)
  const countOf = (section: number): number | undefined => countIn(section, history, counts, find)

  const nextToCount = (): number | undefined => uncounted(history.first(), looking?.section, counts)

  /** Continues as far as sections have been counted. */
  function advance(): void {
    const first = history.first()
    while (looking && first !== undefined) {
      const { by } = looking
      const section = around(looking.section, first)
      looking.section = section
      looking.left = Math.min(looking.left, 1 - first)
      const inSection = countOf(section)
      if (inSection === undefined) break
      if (inSection > 0) {
        wanted = { section, number: by > 0 ? 0 : "last" }
        looking = undefined
      } else if (--looking.left <= 0) looking = undefined
      else looking.section = section + by
    }
    if (!isCounting && nextToCount() !== undefined) void countAll()
  }

  async function countAll(): Promise<void> {
    isCounting = true
    try {
      await history.findFirst()
      advance()
      for (let next = nextToCount(); isOpen && next !== undefined; next = nextToCount()) {
        const of = counts
        const hits = find(history.within(next)?.items ?? (await history.sectionItems(next)))
        if (of === counts) counts.set(next, hits.length)
        advance()
        changed()
      }
    } catch {
      // What has been found stays.
      looking = undefined
    }
    isCounting = false
    if (isOpen) changed()
  }

  function searchFrom(section: number, by: 1 | -1): void {
    looking = { section, by, left: Infinity }
    advance()
  }

  return {
    words,
    start(top) {
      const section = top === "end" ? 0 : top.section
      const hits = find(history.within(section)?.items ?? [])
      const number = nearest(hits, top)
      if (number >= 0) wanted = { section, number }
      else searchFrom(top === "end" ? -1 : section + 1, top === "end" ? -1 : 1)
      advance()
    },
    step(by) {
      if (isStale) {
        counts = new Map()
        isStale = false
      }
      const from = wanted ?? at
      if (!from) return searchFrom(0, -1)
      const inSection = countOf(from.section) ?? 0
      const next = (from.number === "last" ? inSection - 1 : from.number) + by
      wanted = undefined
      if (next >= 0 && next < inSection) wanted = { section: from.section, number: next }
      else searchFrom(from.section + by, by)
      advance()
    },
    wanted: () => wanted,
    reached({ section, number, count: inSection }) {
      wanted = undefined
      counts.set(section, inSection)
      at = inSection === 0 ? undefined : { section, number }
    },
    laidOutAgain: () => (isStale = true),
    state() {
      if (looking || wanted) return { kind: "searching" }
      if (history.first() === undefined || nextToCount() !== undefined)
        return { kind: isCounting ? "counting" : "none" }
      return at ? numberOf(at, counts) : { kind: "none" }
    },
    close: () => (isOpen = false),
  }
}

/** After the newest section comes the first one, and the other way round. */
const around = (section: number, first: number): number => (section > 0 ? first : section < first ? 0 : section)

/** Sections in memory are counted at once: the newest one also grows. */
function countIn(
  section: number,
  history: Pick<TranscriptHistory, "within">,
  counts: Map<number, number>,
  find: (items: readonly Item[]) => readonly Hit[],
): number | undefined {
  const inside = history.within(section)
  if (inside && (section === 0 || !counts.has(section))) counts.set(section, find(inside.items).length)
  return counts.get(section)
}

/** A match among all. */
function numberOf(
  at: { readonly section: number; readonly number: number },
  counts: ReadonlyMap<number, number>,
): SearchProgress {
  const sum = (of: readonly number[]): number => of.reduce((total, one) => total + one, 0)
  const before = [...counts].flatMap(([section, count]) => (section < at.section ? [count] : []))
  return { kind: "counted", number: sum(before) + at.number + 1, count: sum([...counts.values()]) }
}

/** What is looked for comes first. */
function uncounted(
  first: number | undefined,
  looking: number | undefined,
  counts: ReadonlyMap<number, number>,
): number | undefined {
  if (first === undefined) return 0
  if (looking !== undefined && !counts.has(looking)) return looking
  for (let section = 0; section >= first; section--) if (!counts.has(section)) return section
  return undefined
}

/** The first match on or below the top of the screen; at the end, the last one. -1 if there is none. */
const nearest = (hits: readonly Hit[], top: Hit | "end"): number =>
  top === "end"
    ? hits.length - 1
    : hits.findIndex(({ item, row }) => item > top.item || (item === top.item && row >= top.row))
