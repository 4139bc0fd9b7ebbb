/** A view of the whole conversation over the screen: everything in full, to scroll and to search. */

import type { Event } from "#agent/words/event.ts"
import type { ThemedScreen } from "#faces/tui/themed-screen.ts"
import type { Key } from "#faces/tui/keys.ts"
import type { Pace } from "#faces/tui/pace.ts"
import { itemRows } from "#faces/tui/parts/item.ts"
import { dim, inverse } from "#faces/tui/screen/style.ts"
import { beside, fitted } from "#faces/tui/screen/width.ts"
import type { TuiState } from "#faces/tui/state.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"
import { forConsent } from "#lib/printable.ts"
import { type PagerState, scrolled, typing, wantsOlder, withOlder } from "./pager-state.ts"
import { openPages, type Pages } from "./pages.ts"
import { openWhole, type Whole } from "./whole.ts"

export interface Pager {
  readonly open: () => void
  readonly isOpen: () => boolean
  readonly press: (key: Key) => void
  readonly paint: () => void
  readonly close: () => void
  readonly onEvent: (event: Event) => void
}

export function openPager(parts: {
  readonly session: Pick<SessionPort, "events">
  readonly about: Pick<SessionAbout, "cwd" | "opened" | "recent">
  readonly terminal: Pick<Terminal, "size" | "alternate">
  readonly screen: Pick<ThemedScreen, "write" | "refresh">
  readonly pace: Pick<Pace, "within">
  readonly state: () => TuiState
}): Pager {
  const { session, about, terminal, screen, state } = parts
  const changed = (): void => parts.pace.within(0)
  let last = about.opened === "beginning" ? undefined : about.opened
  let now: PagerState | undefined

  const room = (): number => Math.max(1, terminal.size().rows - 1)

  function laidOut(whole: Whole, columns: number): Pages {
    return openPages(whole.items, (item) => itemRows(item, columns, "full", about.cwd))
  }

  function open(): void {
    const whole = wholeFrom(about.recent)
    const { columns } = terminal.size()
    now = {
      whole,
      older: about.recent === "beginning" ? undefined : "unread",
      pages: laidOut(whole, columns),
      columns,
      top: "end",
      typed: undefined,
      search: undefined,
      drawn: [],
    }
    terminal.alternate(true)
    changed()
  }

  function wholeFrom(place: SessionAbout["recent"]): Whole {
    return openWhole({ events: session.events(place), last, live: () => state().view, changed })
  }

  /** What is in memory is shown at once; the rest of a long log is read when somebody looks for it. */
  function takeOlder(looking: PagerState): PagerState {
    const { older, whole, columns } = looking
    if (older === undefined || older === "unread")
      return wantsOlder(looking) ? { ...looking, older: wholeFrom("beginning") } : looking
    if (!older.isLoaded()) return looking
    whole.close()
    return withOlder(looking, older, laidOut(older, columns), room())
  }

  function close({ whole, older }: PagerState): void {
    whole.close()
    if (older !== undefined && older !== "unread") older.close()
    now = undefined
    terminal.alternate(false)
    screen.refresh()
  }

  function press(key: Key): void {
    // What is typed quickly comes together, and each letter may be a key of its own.
    if (key.kind === "text") for (const text of key.text) step({ kind: "text", text })
    else step(key)
    changed()
  }

  function step(key: Key): void {
    if (!now) return
    const next = now.typed === undefined ? scrolled(now, key, room()) : typing(now, key, room())
    if (next === "closes") close(now)
    else now = next
  }

  function paint(): void {
    if (!now) return
    now = takeOlder(now)
    const { columns } = terminal.size()
    if (columns !== now.columns) now = { ...now, columns, pages: laidOut(now.whole, columns), drawn: [] }
    const body = now.whole.isLoaded() ? bodyRows(now) : [dim("Loading…")]
    const padding = Array.from({ length: Math.max(0, room() - body.length) }, () => "")
    const rows = [...body, ...padding, lastRow(now)].map((row) => fitted(row, columns))
    const { drawn } = now
    const text = rows
      .flatMap((row, i) =>
        row === drawn[i] && drawn.length === rows.length ? [] : [`\u001b[${i + 1};1H${row}\u001b[K`],
      )
      .join("")
    now = { ...now, drawn: rows }
    if (text !== "") screen.write(`\u001b[?2026h${text}\u001b[?2026l`)
  }

  function bodyRows({ pages, top, search }: PagerState): readonly string[] {
    const rows = pages.rows(top, room())
    return search ? rows.map((row) => marked(row, search.words)) : rows
  }

  function lastRow({ typed, search, pages, top, whole, older }: PagerState): string {
    const { columns } = terminal.size()
    if (typed !== undefined) return fitted(`/${forConsent(typed)}▏${dim("  Enter to search · Esc to cancel")}`, columns)
    const share = whole.isLoaded() ? `${Math.round(Math.min(1, pages.share(top, room())) * 100)}%` : ""
    const hits = search
      ? `${search.hits.length === 0 ? "no match" : `${search.at + 1} of ${search.hits.length}`} for ${forConsent(search.words)}`
      : ""
    const asked = state().dialog ? "A question is waiting: q to answer" : ""
    const reading = older === undefined || older === "unread" ? "" : "Loading earlier messages…"
    const left = ["Transcript", share, hits, reading, asked].filter((part) => part !== "").join(" · ")
    const keys = `${search ? "n/N for next/previous · " : ""}/ to search · g/G for start/end · q to close`
    return inverse(beside(` ${left}`, `${keys} `, columns))
  }

  return {
    open,
    isOpen: () => now !== undefined,
    press,
    paint,
    close: () => now && close(now),
    onEvent(event) {
      if (event.type === "entry") last = event.cursor
    },
  }
}

/** Highlights the words; a row with other styles inside them stays as it is. */
function marked(row: string, words: string): string {
  const at = row.toLowerCase().indexOf(words.toLowerCase())
  if (at === -1) return row
  return row.slice(0, at) + inverse(row.slice(at, at + words.length)) + row.slice(at + words.length)
}
