/** Where one looks in the whole conversation, and what keys do there. */

import type { Key } from "#faces/tui/keys.ts"
import type { Hit, Pages, Top } from "./pages.ts"
import type { Whole } from "./whole.ts"

export interface PagerState {
  readonly whole: Whole
  /** What is before the part that is looked at: in the log, being read from it, or nothing. */
  readonly older: "unread" | Whole | undefined
  /** The start was asked for while there was something before it. */
  readonly toStart?: boolean
  readonly pages: Pages
  readonly columns: number
  readonly top: Top
  /** Undefined while nobody types. */
  readonly typed: string | undefined
  readonly search: { readonly words: string; readonly hits: readonly Hit[]; readonly at: number } | undefined
  readonly drawn: readonly string[]
}

const wheelRows = 3

export function scrolled(before: PagerState, key: Key, room: number): PagerState | "closes" {
  const looking = { ...before, toStart: false }
  const by = (rows: number): PagerState => ({ ...looking, top: looking.pages.moved(looking.top, rows, room) })
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
    case "wheelup":
      return by(-wheelRows)
    case "wheeldown":
      return by(wheelRows)
    case "pageup":
    case "b":
      return by(2 - room)
    case "pagedown":
    case " ":
      return by(room - 2)
    case "home":
    case "g":
      return { ...looking, top: looking.pages.moved({ item: 0, row: 0 }, 0, room), toStart: true }
    case "end":
    case "G":
      return { ...looking, top: "end" }
    case "/":
      return { ...looking, typed: "" }
    case "n":
      return stepped(looking, 1, room)
    case "N":
      return stepped(looking, -1, room)
    default:
      return looking
  }
}

export function typing(looking: PagerState, key: Key, room: number): PagerState {
  const { typed = "" } = looking
  if (key.kind !== "key") return { ...looking, typed: typed + key.text.replaceAll("\n", " ") }
  switch (key.name) {
    case "backspace":
      return { ...looking, typed: typed === "" ? undefined : [...typed].slice(0, -1).join("") }
    case "escape":
    case "ctrl+c":
      return { ...looking, typed: undefined }
    case "enter":
      return typed === "" ? { ...looking, typed: undefined } : found({ ...looking, typed: undefined }, typed, room)
    default:
      return looking
  }
}

/** Somebody looks at the first row, or for words that may be further up. */
export const wantsOlder = ({ top, search, older }: PagerState): boolean =>
  older === "unread" && (search !== undefined || (top !== "end" && top.item === 0 && top.row === 0))

/** The same place after so many items have come before it. */
export function withOlder(looking: PagerState, whole: Whole, pages: Pages, room: number): PagerState {
  const more = whole.items().length - looking.whole.items().length
  const item = looking.top === "end" || looking.toStart ? 0 : Math.max(0, looking.top.item + more)
  const top = looking.top === "end" ? looking.top : { ...looking.top, item }
  const moved: PagerState = { ...looking, whole, pages, top, older: undefined }
  const { search } = looking
  if (!search) return moved
  const hits = pages.find(search.words)
  if (search.at < 0) return found({ ...moved, search: undefined }, search.words, room)
  return { ...moved, search: { ...search, hits, at: Math.max(0, search.at + hits.length - search.hits.length) } }
}

/** The last hit on or above the screen, so that searching starts from the newest. */
function found(looking: PagerState, words: string, room: number): PagerState {
  const hits = looking.pages.find(words)
  if (hits.length === 0) return { ...looking, search: { words, hits, at: -1 } }
  const { top } = looking
  const before =
    top === "end"
      ? hits.length - 1
      : hits.findIndex(({ item, row }) => item > top.item || (item === top.item && row >= top.row))
  return shown({ ...looking, search: { words, hits, at: 0 } }, Math.max(0, before), room)
}

function stepped(looking: PagerState, by: number, room: number): PagerState {
  const { search } = looking
  if (!search) return { ...looking, typed: "" }
  // What has come meanwhile counts too.
  const hits = looking.pages.find(search.words)
  if (hits.length === 0) return { ...looking, search: { ...search, hits, at: -1 } }
  return shown({ ...looking, search: { ...search, hits } }, (search.at + by + hits.length) % hits.length, room)
}

function shown(looking: PagerState, at: number, room: number): PagerState {
  const { search, pages } = looking
  const hit = search?.hits[at]
  return search && hit ? { ...looking, search: { ...search, at }, top: pages.around(hit, room) } : looking
}
