/** A view of the whole conversation over the screen: everything in full, to scroll and to search. */

import type { Cursor, Event } from "#agent/words/event.ts"
import type { ThemedScreen } from "#faces/tui/themed-screen.ts"
import type { Key } from "#faces/tui/keys.ts"
import type { Pace } from "#faces/tui/pace.ts"
import { itemRows } from "#faces/tui/parts/item.ts"
import { dim, inverse } from "#faces/tui/screen/style.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import type { TuiState } from "#faces/tui/state.ts"
import type { Terminal } from "#faces/tui/terminal.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"
import { openHistory, type TranscriptHistory } from "./history.ts"
import { atMatch, followed, type PagerState, scrolled, typing } from "./pager-state.ts"
import { lastRow } from "./last-row.ts"
import { openPages, type Pages } from "./pages.ts"
import { openSearch, type TranscriptSearch } from "./search.ts"
import { openWhole } from "./whole.ts"

export interface Pager {
  readonly open: () => void
  readonly isOpen: () => boolean
  readonly press: (key: Key) => void
  readonly paint: () => void
  readonly close: () => void
  readonly onEvent: (event: Event) => void
}

export function openPager(parts: {
  readonly session: Pick<SessionPort, "events" | "ask">
  readonly about: Pick<SessionAbout, "cwd" | "opened">
  readonly terminal: Pick<Terminal, "size" | "alternate">
  readonly screen: Pick<ThemedScreen, "write" | "refresh">
  readonly pace: Pick<Pace, "within">
  readonly state: () => TuiState
}): Pager {
  const { session, about, terminal, screen, state } = parts
  const changed = (): void => parts.pace.within(0)
  let last = about.opened === "beginning" ? undefined : about.opened
  /** `opening`: it is asked how much of the conversation is in memory. */
  let now: PagerState | "opening" | undefined
  /** Keys that were pressed meanwhile. */
  let early: Key[] = []

  const room = (): number => Math.max(1, terminal.size().rows - 1)

  function laidOut(history: TranscriptHistory, columns: number): Pages {
    return openPages(history.items, (item) => itemRows(item, columns, "full", about.cwd), history.hasLater)
  }

  function open(): void {
    now = "opening"
    early = []
    terminal.alternate(true)
    changed()
    void session.ask({ type: "recent" }).then(
      ({ cursor }) => begin(cursor),
      () => begin("beginning"),
    )
  }

  /** What is in memory is shown at once; the rest of a long log is read where somebody looks. */
  function begin(recent: Cursor | "beginning"): void {
    if (now !== "opening") return
    const newest = openWhole({ events: session.events(recent), last, live: () => state().view, changed })
    const history = openHistory({ session, recent, newest, last: () => last, changed })
    const { columns } = terminal.size()
    const pages = laidOut(history, columns)
    now = { history, pages, columns, top: "end", typed: undefined, search: undefined, drawn: [] }
    for (const key of early) step(key)
    changed()
  }

  function close(): void {
    if (now === undefined) return
    if (now !== "opening") {
      now.search?.close()
      now.history.close()
    }
    now = undefined
    terminal.alternate(false)
    screen.refresh()
  }

  const searchFor =
    ({ history }: PagerState) =>
    (words: string): TranscriptSearch =>
      openSearch({
        words,
        history,
        // With the columns of that moment.
        find: (wanted, items) => (typeof now === "object" ? now.pages.find(wanted, items) : []),
        changed,
      })

  function press(key: Key): void {
    // What is typed quickly comes together, and each letter may be a key of its own.
    if (key.kind === "text") for (const text of key.text) step({ kind: "text", text })
    else step(key)
    changed()
  }

  function step(key: Key): void {
    if (now === "opening") early.push(key)
    if (now === undefined || now === "opening") return
    const next = now.typed === undefined ? scrolled(now, key, room()) : typing(now, key, searchFor(now))
    if (next === "closes") close()
    else now = atMatch(next, room())
  }

  function paint(): void {
    if (now === undefined || now === "opening") return
    now = followed(now, room())
    const { columns } = terminal.size()
    if (columns !== now.columns) {
      now = { ...now, columns, pages: laidOut(now.history, columns), drawn: [] }
      now.search?.laidOutAgain()
    }
    const body = now.history.isLoaded() ? bodyRows(now) : [dim("Loading…")]
    const padding = Array.from({ length: Math.max(0, room() - body.length) }, () => "")
    const lowest = lastRow(now, { columns, room: room(), asks: state().dialog !== undefined })
    const rows = [...body, ...padding, lowest].map((row) => fitted(row, columns))
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

  return {
    open,
    isOpen: () => now !== undefined,
    press,
    paint,
    close,
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
