/** The last row of the transcript: where one is in it, what was searched for, and the keys. */

import { dim, inverse } from "#faces/tui/screen/style.ts"
import { beside, fitted } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import { isWaiting, type PagerState } from "./pager-state.ts"
import type { TranscriptSearch } from "./search.ts"

export function lastRow(
  looking: PagerState,
  { columns, room, asks }: { readonly columns: number; readonly room: number; readonly asks: boolean },
): string {
  const { typed, search, history } = looking
  if (typed !== undefined) return fitted(`/${forConsent(typed)}▏${dim("  Enter to search · Esc to cancel")}`, columns)
  const share = history.isLoaded() ? `${Math.round(Math.min(1, shareAbove(looking, room)) * 100)}%` : ""
  const matches = search ? matchWords(search) : ""
  const asked = asks ? "A question is waiting: q to answer" : ""
  const reading = isWaiting(looking) ? "Loading earlier messages…" : (history.failure() ?? "")
  const left = ["Transcript", share, matches, reading, asked].filter((part) => part !== "").join(" · ")
  const keys = `${search ? "n/N for next/previous · " : ""}/ to search · g/G for start/end · q to close`
  return inverse(beside(` ${left}`, `${keys} `, columns))
}

function shareAbove({ history, pages, top }: PagerState, room: number): number {
  if (top === "end") return 1
  const { section, item } = history.sectionOf(top.item)
  const { length = 1 } = history.within(section)?.items ?? []
  return history.share(section, item / Math.max(1, length)) ?? pages.share(top, room)
}

function matchWords(search: TranscriptSearch): string {
  const words = forConsent(search.words)
  const found = search.state()
  switch (found.kind) {
    case "searching":
      return `searching for ${words}…`
    case "counting":
      return `counting matches for ${words}…`
    case "none":
      return `no match for ${words}`
    case "counted":
      return `${found.number} of ${found.count} for ${words}`
  }
}
