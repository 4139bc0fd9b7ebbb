/**
 * The whole conversation, of which only what is near the screen is in memory: earlier sections are read from the log when
 * they are shown, and dropped when they are far away.
 */

import type { Item } from "#faces/view/item.ts"
import { openSectionReader, type SectionReader, type SectionSource } from "./section-reader.ts"

export interface TranscriptHistory extends SectionReader {
  /** What is in memory and in one piece. */
  readonly items: () => readonly Item[]
  readonly isLoaded: () => boolean
  readonly hasEarlier: () => boolean
  readonly hasLater: () => boolean
  readonly isReading: () => boolean
  /** What could not be read. */
  readonly failure: () => string | undefined
  /** The section of an item, and its number in it. */
  readonly sectionOf: (item: number) => { readonly section: number; readonly item: number }
  /** The items of a section, with the number of the first, if they are in memory. */
  readonly within: (section: number) => { readonly first: number; readonly items: readonly Item[] } | undefined
  /** Reads more before or after what is in memory, or another section instead of it. The newest is there at once. */
  readonly read: (what: "earlier" | "later" | { readonly section: number }) => void
  /**
   * Puts in place what has been read since, if it is still wanted. Returns by how much the numbers of items have grown, or
   * that another section is there now.
   */
  readonly settle: (isWanted: (section: number) => boolean) => number | "another section" | undefined
  readonly toEnd: () => void
  readonly close: () => void
}

/** So many sections stay in memory, and more where they have few items. */
const mostSections = 4
const fewItems = 200

export function openHistory(source: SectionSource & { readonly changed: () => void }): TranscriptHistory {
  const { newest, changed } = source
  const reader = openSectionReader(source)
  /** In the order of the log, from `from` on; the newest follows them if `hasNewest`. */
  let kept: readonly (readonly Item[])[] = []
  let from = 0
  let hasNewest = true
  let reading = false
  let read: { readonly section: number; readonly isBeside: boolean; readonly items: readonly Item[] } | undefined
  let failure: string | undefined
  let joined:
    { readonly kept: typeof kept; readonly newest: readonly Item[]; readonly items: readonly Item[] } | undefined

  const end = (): number => from + kept.length

  function items(): readonly Item[] {
    const last = hasNewest ? newest.items() : none
    if (joined?.kept !== kept || joined.newest !== last)
      joined = { kept, newest: last, items: [...kept.flat(), ...last] }
    return joined.items
  }

  async function readNow(what: "earlier" | "later" | { readonly section: number }): Promise<void> {
    try {
      const first = await reader.findFirst()
      const section = what === "earlier" ? from - 1 : what === "later" ? end() : Math.max(first, what.section)
      const more = section < first ? undefined : await reader.sectionItems(section)
      read = more && { section, isBeside: typeof what === "string", items: more }
    } catch {
      failure = "Earlier messages could not be read"
    }
    reading = false
    changed()
  }

  function takeLater(more: readonly Item[]): number {
    kept = [...kept, more]
    let dropped = 0
    while (kept.length > mostSections && items().length - (kept[0]?.length ?? 0) >= fewItems) {
      dropped += kept[0]?.length ?? 0
      kept = kept.slice(1)
      from++
    }
    return -dropped
  }

  function takeEarlier(more: readonly Item[]): number {
    kept = [more, ...kept]
    from--
    while (kept.length > mostSections) {
      const last = hasNewest ? newest.items() : (kept.at(-1) ?? none)
      if (items().length - last.length < fewItems) break
      if (hasNewest) hasNewest = false
      else kept = kept.slice(0, -1)
    }
    return more.length
  }

  function toEnd(): void {
    if (hasNewest) return
    kept = []
    from = 0
    hasNewest = true
  }

  return {
    ...reader,
    items,
    isLoaded: () => !hasNewest || newest.isLoaded(),
    hasEarlier: () => failure === undefined && from > (reader.first() ?? -Infinity),
    hasLater: () => !hasNewest,
    isReading: () => reading,
    failure: () => failure,
    sectionOf: (item) => placeIn(kept, from, hasNewest, item),
    within(section) {
      const first = kept.slice(0, Math.max(0, section - from)).reduce((sum, { length }) => sum + length, 0)
      if (section === 0) return hasNewest ? { first, items: newest.items() } : undefined
      const inside = kept[section - from]
      return inside && { first, items: inside }
    },
    read(what) {
      if (reading || failure !== undefined) return
      if (typeof what === "object" && what.section === 0) return toEnd()
      if (what === "later" && end() === 0) {
        hasNewest = true
        return
      }
      reading = true
      read = undefined
      void readNow(what)
    },
    settle(isWanted) {
      const done = read
      read = undefined
      if (done === undefined) return undefined
      const { section, isBeside, items: more } = done
      if (isBeside && section === from - 1) return takeEarlier(more)
      if (isBeside && section === end() && !hasNewest) return takeLater(more)
      if (isBeside || !isWanted(section)) return undefined
      hasNewest = false
      kept = [more]
      from = section
      return "another section"
    },
    toEnd,
    close: newest.close,
  }
}

const none: readonly Item[] = []

/** The section of an item; of what comes after them all, the newest section or the last item that is there. */
function placeIn(
  kept: readonly (readonly Item[])[],
  from: number,
  hasNewest: boolean,
  item: number,
): { readonly section: number; readonly item: number } {
  let before = 0
  for (const [index, { length }] of kept.entries()) {
    if (item < before + length) return { section: from + index, item: item - before }
    before += length
  }
  return hasNewest
    ? { section: 0, item: item - before }
    : { section: from + kept.length - 1, item: (kept.at(-1)?.length ?? 1) - 1 }
}
