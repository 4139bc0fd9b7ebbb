/** A view of the whole conversation over the screen: everything in full, to scroll and to search. */

import type { Event } from "#agent/words/event.ts"
import type { Key } from "#faces/tui/keys.ts"
import { itemRows } from "#faces/tui/parts/item.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import { dim, inverse } from "#faces/tui/screen/style.ts"
import { beside, fitted } from "#faces/tui/screen/width.ts"
import type { View } from "#faces/view/view.ts"
import { bared } from "#lib/printable.ts"
import { type Hit, openPages, type Pages, type Top } from "./pages.ts"
import { openWhole, type Whole } from "./whole.ts"

export interface Pager {
  readonly open: () => void
  readonly isOpen: () => boolean
  readonly press: (key: Key) => void
  readonly paint: () => void
  readonly close: () => void
}

interface Looking {
  readonly whole: Whole
  readonly pages: Pages
  readonly columns: number
  readonly top: Top
  /** The words that are being typed; undefined while nobody types. */
  readonly typed: string | undefined
  readonly search: { readonly words: string; readonly hits: readonly Hit[]; readonly at: number } | undefined
  /** The rows on the screen. */
  readonly drawn: readonly string[]
}

export function openPager(parts: {
  readonly events: () => AsyncIterable<Event>
  /** The last entry so far. */
  readonly last: () => string | undefined
  readonly live: () => View
  readonly isAsked: () => boolean
  readonly cwd: string
  readonly size: () => Size
  readonly write: (text: string) => void
  /** Takes the other screen of the terminal, or gives it back. */
  readonly alternate: (on: boolean) => void
  readonly changed: () => void
  readonly closed: () => void
}): Pager {
  let now: Looking | undefined

  const room = (): number => Math.max(1, parts.size().rows - 1)

  function laidOut(whole: Whole, columns: number): Pages {
    return openPages(whole.items, (item) => itemRows(item, columns, "full", parts.cwd))
  }

  function open(): void {
    const whole = openWhole({ events: parts.events(), last: parts.last(), live: parts.live, changed: parts.changed })
    const { columns } = parts.size()
    now = { whole, pages: laidOut(whole, columns), columns, top: "end", typed: undefined, search: undefined, drawn: [] }
    parts.alternate(true)
    parts.changed()
  }

  function close({ whole }: Looking): void {
    whole.close()
    now = undefined
    parts.alternate(false)
    parts.closed()
  }

  function press(key: Key): void {
    // What is typed quickly comes together, and each letter may be a key of its own.
    if (key.kind === "text") for (const text of key.text) step({ kind: "text", text })
    else step(key)
    parts.changed()
  }

  function step(key: Key): void {
    if (!now) return
    const next = now.typed === undefined ? scrolled(now, key) : typing(now, key)
    if (next === "closes") close(now)
    else now = next
  }

  function scrolled(looking: Looking, key: Key): Looking | "closes" {
    const by = (rows: number): Looking => ({ ...looking, top: looking.pages.moved(looking.top, rows, room()) })
    switch (key.kind === "paste" ? "" : key.kind === "key" ? key.name : key.text) {
      case "q":
      case "escape":
      case "ctrl+o":
      case "ctrl+c":
        return "closes"
      case "up":
      case "k":
        return by(-1)
      case "down":
      case "j":
      case "enter":
        return by(1)
      case "pageup":
      case "b":
        return by(2 - room())
      case "pagedown":
      case " ":
        return by(room() - 2)
      case "home":
      case "g":
        return { ...looking, top: looking.pages.moved({ item: 0, row: 0 }, 0, room()) }
      case "end":
      case "G":
        return { ...looking, top: "end" }
      case "/":
        return { ...looking, typed: "" }
      case "n":
        return stepped(looking, 1)
      case "N":
        return stepped(looking, -1)
      default:
        return looking
    }
  }

  function typing(looking: Looking, key: Key): Looking {
    const { typed = "" } = looking
    if (key.kind !== "key") return { ...looking, typed: typed + key.text.replaceAll("\n", " ") }
    switch (key.name) {
      case "backspace":
        return { ...looking, typed: typed === "" ? undefined : [...typed].slice(0, -1).join("") }
      case "escape":
      case "ctrl+c":
        return { ...looking, typed: undefined }
      case "enter":
        return typed === "" ? { ...looking, typed: undefined } : found({ ...looking, typed: undefined }, typed)
      default:
        return looking
    }
  }

  /** The last hit above the end of what is seen, so that one searches from the newest on. */
  function found(looking: Looking, words: string): Looking {
    const hits = looking.pages.find(words)
    if (hits.length === 0) return { ...looking, search: { words, hits, at: -1 } }
    const { top } = looking
    const before =
      top === "end"
        ? hits.length - 1
        : hits.findIndex(({ item, row }) => item > top.item || (item === top.item && row >= top.row))
    return shown({ ...looking, search: { words, hits, at: 0 } }, Math.max(0, before))
  }

  function stepped(looking: Looking, by: number): Looking {
    const { search } = looking
    if (!search) return { ...looking, typed: "" }
    // What has come meanwhile counts too.
    const hits = looking.pages.find(search.words)
    if (hits.length === 0) return { ...looking, search: { ...search, hits, at: -1 } }
    return shown({ ...looking, search: { ...search, hits } }, (search.at + by + hits.length) % hits.length)
  }

  function shown(looking: Looking, at: number): Looking {
    const { search, pages } = looking
    const hit = search?.hits[at]
    return search && hit ? { ...looking, search: { ...search, at }, top: pages.around(hit, room()) } : looking
  }

  function paint(): void {
    if (!now) return
    const { columns } = parts.size()
    if (columns !== now.columns) now = { ...now, columns, pages: laidOut(now.whole, columns), drawn: [] }
    const body = now.whole.isLoaded() ? bodyRows(now) : [dim("Loading…")]
    const blank = Array.from({ length: Math.max(0, room() - body.length) }, () => "")
    const rows = [...body, ...blank, lastRow(now)].map((row) => fitted(row, columns))
    const { drawn } = now
    const text = rows
      .flatMap((row, i) =>
        row === drawn[i] && drawn.length === rows.length ? [] : [`\u001b[${i + 1};1H${row}\u001b[K`],
      )
      .join("")
    now = { ...now, drawn: rows }
    if (text !== "") parts.write(`\u001b[?2026h${text}\u001b[?2026l`)
  }

  function bodyRows({ pages, top, search }: Looking): readonly string[] {
    const rows = pages.rows(top, room())
    return search ? rows.map((row) => marked(row, search.words)) : rows
  }

  function lastRow({ typed, search, pages, top, whole }: Looking): string {
    const { columns } = parts.size()
    if (typed !== undefined) return fitted(`/${bared(typed)}▏${dim("  Enter to search · Esc to cancel")}`, columns)
    const share = whole.isLoaded() ? `${Math.round(Math.min(1, pages.share(top, room())) * 100)}%` : ""
    const hits = search
      ? `${search.hits.length === 0 ? "no match" : `${search.at + 1} of ${search.hits.length}`} for ${bared(search.words)}`
      : ""
    const asked = parts.isAsked() ? "A question is waiting: q to answer" : ""
    const left = ["Transcript", share, hits, asked].filter((part) => part !== "").join(" · ")
    const keys = `${search ? "n/N for next/previous · " : ""}/ to search · g/G for start/end · q to close`
    return inverse(beside(` ${left}`, `${keys} `, columns))
  }

  return { open, isOpen: () => now !== undefined, press, paint, close: () => now && close(now) }
}

/** The words where they stand in a row; a row that has other styles inside them is left as it is. */
function marked(row: string, words: string): string {
  const at = row.toLowerCase().indexOf(words.toLowerCase())
  if (at === -1) return row
  return row.slice(0, at) + inverse(row.slice(at, at + words.length)) + row.slice(at + words.length)
}
