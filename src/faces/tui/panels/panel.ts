/** A list to choose from, a line to write or a text to read, in the live part of the screen: pure, with what it wants of the world as data. */

import type { Key } from "#faces/tui/keys.ts"
import { emptyEditor, fullText, press, type Editor } from "#faces/tui/editor/editor.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import { moved, panelSize, type ScrollPosition, roomIn } from "./place.ts"

/** What comes of a choice: the panel closes with a result, another one opens over it, or it goes on. */
export type PanelOutcome<T> =
  | { readonly kind: "closes"; readonly result: T }
  | { readonly kind: "opens"; readonly panel: PanelDefinition<T> }
  /** Back to the panel below or the first one, which is loaded again, perhaps with a word on what happened. */
  | { readonly kind: "goes back"; readonly to: "one below" | "first"; readonly note?: string }
  | { readonly kind: "stays"; readonly note?: string }

export interface PanelRow {
  /** Tells it from the others. */
  readonly key: string
  readonly text: string
  /** What stands beside it, dim. */
  readonly facts?: string
  /** What stands above it, when it is the first of a group. */
  readonly group?: string
  readonly mark?: "current" | "on" | "off"
  /** The name of a colour for its text. */
  readonly color?: string
}

export interface NoRows {
  readonly why: string
}

/** Draws what a row means in more detail. */
export type Preview = (columns: number) => readonly string[]

/** What another key does to the row that is pointed at. */
export interface PanelKey<T> {
  readonly name: string
  readonly about: string
  readonly run: (row: PanelRow | undefined, signal: AbortSignal) => Promise<PanelOutcome<T>>
}

export interface ListDefinition<T> {
  readonly kind: "list"
  /** `reads`: there is nothing to choose, only to see. */
  readonly purpose?: "reads"
  /** It is about the whole program, so it is shown and answered before an open question. */
  readonly over?: "questions"
  readonly title: string
  readonly about?: string
  /** What stands there when there is nothing to choose from. */
  readonly empty: string
  /** Where the words that are typed are looked for: in the rows, by whoever loads them, or nowhere. */
  readonly search: "rows" | "loader" | "none"
  readonly query?: string
  /** The rows, or why there are none. */
  readonly load: (query: string, signal: AbortSignal) => Promise<readonly PanelRow[] | NoRows>
  readonly preview?: (row: PanelRow, signal: AbortSignal) => Promise<Preview>
  readonly take: (row: PanelRow, signal: AbortSignal) => Promise<PanelOutcome<T>>
  /** `preview`: the keys for pages scroll the preview, which is never cut without a word. */
  readonly scrolls?: "preview"
  /** What enter does, in a word or two. */
  readonly takes: string
  /** What escape does, when it does not just close the panel. */
  readonly leaves?: string
  readonly keys?: readonly PanelKey<T>[]
  /** The keys and what they do, where the list of them would not say it well. */
  readonly footer?: string
  /** What Ctrl+C comes to, where it does not just close the panel. */
  readonly interrupts?: PanelOutcome<T>
  /** Told when another row is pointed at. */
  readonly points?: (row: PanelRow) => void
  /** Told when it is left without a choice. */
  readonly left?: () => void
  readonly watch?: Subscribe
}

/** Calls back whenever what a panel shows may be another; the returned function ends it. */
export type Subscribe = (changed: () => void) => () => void

export interface LineDefinition<T> {
  readonly kind: "line"
  readonly title: string
  readonly about?: string
  readonly text: string
  /** A secret is never drawn. */
  readonly shown: "text" | "secret"
  /** What enter does, in a word or two, where that is not to continue. */
  readonly takes?: string
  /** What stands there while taking it needs a while. */
  readonly waits?: string
  readonly take: (text: string, signal: AbortSignal) => Promise<PanelOutcome<T>>
}

/** Something to read. */
export interface TextDefinition<T> {
  readonly kind: "text"
  readonly title: string
  /** Where one begins to read. What begins at its end is followed as it grows. */
  readonly begins: "top" | "end"
  readonly load: (signal: AbortSignal) => Promise<TextPage<T>>
  readonly watch?: Subscribe
}

export interface TextPage<T> {
  /** A row below the title that stays. */
  readonly about?: string
  readonly draw: Preview
  /** What single letters do. */
  readonly keys: readonly PanelKey<T>[]
}

export type PanelDefinition<T> = ListDefinition<T> | LineDefinition<T> | TextDefinition<T>

export type PanelState<T> = ListState<T> | LineState<T> | TextState<T>

export interface ListState<T> {
  readonly kind: "list"
  readonly definition: ListDefinition<T>
  /** Whether it was opened over another one. */
  readonly isOver: boolean
  readonly shownAt: number
  readonly query: string
  /** Undefined until they have come. */
  readonly rows: readonly PanelRow[] | undefined
  readonly at: number
  readonly preview: Preview | undefined
  /** How many rows of the preview are above its part that is shown. */
  readonly scrolled: number
  readonly note: string | undefined
}

export interface LineState<T> {
  readonly kind: "line"
  readonly definition: LineDefinition<T>
  readonly shownAt: number
  readonly editor: Editor
  readonly note: string | undefined
}

export interface TextState<T> {
  readonly kind: "text"
  readonly definition: TextDefinition<T>
  readonly isOver: boolean
  readonly shownAt: number
  /** Undefined until it has come. */
  readonly page: TextPage<T> | undefined
  readonly place: ScrollPosition
  readonly note: string | undefined
}

/** What a key wants done. */
export type PanelWish<T> =
  | { readonly kind: "load" }
  | { readonly kind: "preview" }
  | { readonly kind: "take"; readonly run: (signal: AbortSignal) => Promise<PanelOutcome<T>> }
  | { readonly kind: "leave" }

export interface PanelPressed<T> {
  readonly state: PanelState<T>
  readonly wish?: PanelWish<T>
}

/** What comes sooner than this after a panel appeared was typed for something else. */
const tooSoonMs = 300

export function openPanelState<T>(definition: PanelDefinition<T>, now: number, isOver: boolean): PanelState<T> {
  if (definition.kind === "line") {
    const editor = definition.text === "" ? emptyEditor : press(emptyEditor, { kind: "text", text: definition.text })
    // A line that was asked for with a key is written at once.
    const shownAt = isOver ? Number.NEGATIVE_INFINITY : now
    return { kind: "line", definition, shownAt, editor: editor ?? emptyEditor, note: undefined }
  }
  if (definition.kind === "text") {
    const place = definition.begins === "end" ? "end" : 0
    return { kind: "text", definition, isOver, shownAt: now, page: undefined, place, note: undefined }
  }
  return {
    kind: "list",
    definition,
    isOver,
    shownAt: now,
    query: definition.query ?? "",
    rows: undefined,
    at: 0,
    preview: undefined,
    scrolled: 0,
    note: undefined,
  }
}

/** The rows that fit what was typed. */
export function shownRows<T>({ definition, query, rows = [] }: ListState<T>): readonly PanelRow[] {
  if (definition.search !== "rows") return rows
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(({ text, facts = "", group = "" }) => {
    const all = `${text} ${facts} ${group}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** Whether there is something to read before a choice, and it is not on the screen yet. */
export const isUnread = <T>({ definition, preview }: ListState<T>): boolean =>
  definition.scrolls === "preview" && preview === undefined

export const isOverQuestions = <T>(state: PanelState<T> | undefined): boolean =>
  state?.kind === "list" && state.definition.over === "questions"

export const pointedRow = <T>(state: ListState<T>): PanelRow | undefined => shownRows(state)[state.at]

/** Rows have come; the row that was pointed at stays so, or the one that is current is. */
export function withRows<T>(state: ListState<T>, rows: readonly PanelRow[]): ListState<T> {
  const before = state.rows && pointedRow(state)?.key
  const next = { ...state, rows, preview: undefined }
  const shown = shownRows(next)
  const same = shown.findIndex(({ key, mark }) => (before === undefined ? mark === "current" : key === before))
  return { ...next, at: same === -1 ? Math.max(0, Math.min(state.at, shown.length - 1)) : same }
}

export function pressPanel<T>(state: PanelState<T>, key: Key, now: number, size: Size): PanelPressed<T> {
  const name = key.kind === "key" ? key.name : ""
  // Whoever is still typing something else has not read it yet; leaving is always meant.
  const interrupts = state.kind === "list" && name === "ctrl+c" ? state.definition.interrupts : undefined
  if (now - state.shownAt < tooSoonMs && (name !== "ctrl+c" || interrupts)) return { state: { ...state, shownAt: now } }
  if (interrupts) return { state, wish: { kind: "take", run: async () => interrupts } }
  if (name === "escape" || name === "ctrl+c") return { state, wish: { kind: "leave" } }
  const calm = state.note === undefined ? state : { ...state, note: undefined }
  if (calm.kind === "text") return pressText(calm, key, panelSize(size))
  return calm.kind === "line" ? pressLine(calm, key) : pressList(calm, key, panelSize(size).columns)
}

function pressText<T>(state: TextState<T>, key: Key, { columns, rows }: Size): PanelPressed<T> {
  const { page, definition, place } = state
  if (!page) return { state }
  const own = key.kind === "text" ? page.keys.find(({ name }) => name === key.text) : undefined
  if (own) return { state, wish: { kind: "take", run: (signal) => own.run(undefined, signal) } }
  const fit = { count: page.draw(columns).length, room: roomIn(rows, page.about) }
  const name = key.kind === "key" ? key.name : key.text
  const by = name === "pageup" ? -fit.room : name === "pagedown" || name === " " ? fit.room : steps[name]
  if (by === undefined) return { state }
  return { state: { ...state, place: moved(place, by, fit, definition.begins === "end" ? "grows" : "stays") } }
}

function pressLine<T>(state: LineState<T>, key: Key): PanelPressed<T> {
  if (key.kind === "key" && key.name === "enter") {
    const text = fullText(state.editor).trim()
    return text === ""
      ? { state: { ...state, note: "Type some text first, or press Esc." } }
      : { state, wish: { kind: "take", run: (signal) => state.definition.take(text, signal) } }
  }
  // One line: a paste with several is joined.
  const one = key.kind === "paste" ? { ...key, text: key.text.replaceAll(/\s*\n\s*/g, " ") } : key
  return { state: { ...state, editor: press(state.editor, one) ?? state.editor } }
}

/** Where rows are chosen by number; a list with keys of its own changes too often for that. */
export const isNumbered = <T>({ search, purpose, keys = [] }: ListDefinition<T>): boolean =>
  search === "none" && purpose !== "reads" && keys.length === 0

function pressList<T>(state: ListState<T>, key: Key, columns: number): PanelPressed<T> {
  const { definition } = state
  if (isUnread(state)) return { state }
  if (key.kind !== "key") {
    const letter = definition.search === "none" && definition.keys?.find(({ name }) => name === key.text)
    if (letter) return { state, wish: { kind: "take", run: (signal) => letter.run(pointedRow(state), signal) } }
    const mark = pointedRow(state)?.mark
    if (definition.search === "none" && key.text === " " && (mark === "on" || mark === "off")) return takes(state)
    const digit = isNumbered(definition) && /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : undefined
    if (digit !== undefined) return digit < shownRows(state).length ? takes({ ...state, at: digit }) : { state }
    return definition.search === "none" ? { state } : searches(state, state.query + key.text.replaceAll(/\s+/g, " "))
  }
  if (definition.scrolls === "preview" && (key.name === "pageup" || key.name === "pagedown")) {
    const last = Math.max(0, (state.preview?.(columns).length ?? 0) - 1)
    const scrolled = Math.max(0, Math.min(last, state.scrolled + (steps[key.name] ?? 0)))
    return { state: { ...state, scrolled } }
  }
  const own = definition.keys?.find(({ name }) => name === key.name)
  if (own) return { state, wish: { kind: "take", run: (signal) => own.run(pointedRow(state), signal) } }
  switch (key.name) {
    case "enter":
      return takes(state)
    case "backspace":
      return state.query === "" ? { state } : searches(state, [...state.query].slice(0, -1).join(""))
    case "ctrl+u":
      return state.query === "" ? { state } : searches(state, "")
    default:
      return points(state, steps[key.name])
  }
}

const steps: { readonly [key: string]: number } = {
  up: -1,
  "ctrl+p": -1,
  "shift+tab": -1,
  down: 1,
  "ctrl+n": 1,
  tab: 1,
  pageup: -8,
  pagedown: 8,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
}

function points<T>(state: ListState<T>, by: number | undefined): PanelPressed<T> {
  const count = shownRows(state).length
  if (by === undefined || count === 0) return { state }
  // One step beyond an end comes out at the other; a leap stops there.
  const at = Math.abs(by) === 1 ? (state.at + by + count) % count : Math.max(0, Math.min(count - 1, state.at + by))
  // What scrolls is about all of the rows.
  const preview = state.definition.scrolls ? state.preview : undefined
  return { state: { ...state, at, preview }, wish: { kind: "preview" } }
}

function searches<T>(state: ListState<T>, query: string): PanelPressed<T> {
  const next = { ...state, query, at: 0, preview: undefined }
  return { state: next, wish: { kind: state.definition.search === "loader" ? "load" : "preview" } }
}

function takes<T>(state: ListState<T>): PanelPressed<T> {
  const row = pointedRow(state)
  return row ? { state, wish: { kind: "take", run: (signal) => state.definition.take(row, signal) } } : { state }
}
