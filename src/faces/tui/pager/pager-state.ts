/** Where one looks in the whole conversation, and what keys do there. */

import type { Key } from "#faces/tui/keys.ts"
import type { TranscriptHistory } from "./history.ts"
import type { Pages, Top } from "./pages.ts"
import type { TranscriptSearch } from "./search.ts"

export interface PagerState {
  readonly history: TranscriptHistory
  /** The start was asked for, and has to be read from the log. */
  readonly toStart?: boolean
  readonly pages: Pages
  readonly columns: number
  readonly top: Top
  /** Undefined while nobody types. */
  readonly typed: string | undefined
  readonly search: TranscriptSearch | undefined
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
      return {
        ...looking,
        top: looking.pages.moved({ item: 0, row: 0 }, 0, room),
        toStart: looking.history.hasEarlier(),
      }
    case "end":
    case "G":
      looking.history.toEnd()
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

export function typing(looking: PagerState, key: Key, search: (words: string) => TranscriptSearch): PagerState {
  const { typed = "" } = looking
  if (key.kind !== "key") return { ...looking, typed: typed + key.text.replaceAll("\n", " ") }
  switch (key.name) {
    case "backspace":
      return { ...looking, typed: typed === "" ? undefined : [...typed].slice(0, -1).join("") }
    case "escape":
    case "ctrl+c":
      return { ...looking, typed: undefined }
    case "enter":
      return typed === ""
        ? { ...looking, typed: undefined }
        : searching({ ...looking, typed: undefined }, search(typed))
    default:
      return looking
  }
}

/** From what is on the screen on; at the end, from the newest back. */
function searching(looking: PagerState, search: TranscriptSearch): PagerState {
  const { top, history } = looking
  looking.search?.close()
  search.start(top === "end" ? top : { ...history.sectionOf(top.item), row: top.row })
  return { ...looking, search }
}

function stepped(looking: PagerState, by: 1 | -1): PagerState {
  if (!looking.search) return { ...looking, typed: "" }
  looking.search.step(by)
  return looking
}

/** Shows the match that is wanted, where its section is in memory. */
export function atMatch(looking: PagerState, room: number): PagerState {
  const { search, history, pages } = looking
  const wanted = search?.wanted()
  const inside = wanted && history.within(wanted.section)
  if (!search || !inside) return looking
  const hits = pages.find(search.words, inside.items)
  const number = Math.min(wanted.number === "last" ? Infinity : wanted.number, hits.length - 1)
  search.reached({ section: wanted.section, number, count: hits.length })
  const hit = hits[number]
  return hit ? { ...looking, top: pages.around({ ...hit, item: inside.first + hit.item }, room) } : looking
}

/** The same place after more has been read, and what is to be read next. */
export function followed(before: PagerState, room: number): PagerState {
  const { history } = before
  const wanted = before.search?.wanted()?.section
  const settled = history.settle((section) => before.toStart === true || section === wanted)
  const looking = atMatch(settled === undefined ? before : movedBy(before, settled), room)
  const { top } = looking
  const next = looking.search?.wanted()
  if (next) {
    history.read({ section: next.section })
    return atMatch(looking, room)
  }
  if (looking.toStart) history.read({ section: -Infinity })
  else if (top !== "end" && history.hasEarlier() && top.item < room) history.read("earlier")
  else if (top !== "end" && history.hasLater() && history.items().length - top.item < room) history.read("later")
  return looking
}

function movedBy(looking: PagerState, settled: number | "another section"): PagerState {
  if (settled === "another section") return { ...looking, top: { item: 0, row: 0 }, toStart: false }
  const { top } = looking
  return top === "end" ? looking : { ...looking, top: { ...top, item: Math.max(0, top.item + settled) } }
}

/** Something has to be read before the screen can show what was asked for. */
export const isWaiting = ({ history, top, toStart, search }: PagerState): boolean =>
  history.isReading() &&
  (toStart === true || search?.wanted() !== undefined || (top !== "end" && top.item === 0 && top.row === 0))
