/** A list to choose from, a line to write or a text to read, in the live part of the screen: pure, with what it wants of the world as data. */

import type { Key } from "#faces/tui/keys.ts"
import { emptyEditor, fullText, press, type Editor } from "#faces/tui/editor/editor.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import { moved, panelSize, type ScrollPosition, roomIn } from "./place.ts"

export type PanelOutcome<T> =
  | { readonly kind: "closes"; readonly result: T }
  | { readonly kind: "opens"; readonly panel: PanelDefinition<T> }
  /** To the panel below or the first one, which is loaded again; `note` says what happened. */
  | { readonly kind: "goes back"; readonly to: "one below" | "first"; readonly note?: string }
  | { readonly kind: "stays"; readonly note?: string }

export interface PanelRow {
  /** Unique. */
  readonly key: string
  readonly text: string
  /** Shown beside it, dim. */
  readonly facts?: string
  /** A heading, if it is the first of a group. */
  readonly group?: string
  readonly mark?: "current" | "on" | "off"
  /** Selected at first, without a mark. */
  readonly starts?: true
  readonly color?: string
  /** Left and right move from one of these to the next. */
  readonly isHead?: true
}

export interface NoRows {
  readonly why: string
}

export type Preview = (columns: number) => readonly string[]

export interface PanelKey<T> {
  readonly name: string
  readonly about: string
  /** Not offered where there is no row. */
  readonly of?: "row"
  readonly run: (row: PanelRow | undefined, signal: AbortSignal) => Promise<PanelOutcome<T>>
}

export interface ListDefinition<T> {
  readonly kind: "list"
  /** `reads`: nothing to choose, only to read. */
  readonly purpose?: "reads"
  /** Comes before an open question, because it is about the whole program. */
  readonly over?: "questions"
  readonly title: string
  readonly about?: string
  /** Shown if there are no rows. */
  readonly empty: string
  readonly search: "rows" | "loader" | "none"
  /** By whole words when absent. */
  readonly find?: (rows: readonly PanelRow[], query: string) => readonly PanelRow[]
  /** Whoever opened it with a key types on at once. */
  readonly asked?: "by a key"
  readonly query?: string
  /** The rows, or why there are none. */
  readonly load: (query: string, signal: AbortSignal) => Promise<readonly PanelRow[] | NoRows>
  readonly preview?: (row: PanelRow, signal: AbortSignal) => Promise<Preview>
  readonly choose: (row: PanelRow, signal: AbortSignal) => Promise<PanelOutcome<T>>
  /** Facts stand in one column, unless each group has its own. */
  readonly aligned?: "by group"
  /** `preview`: page keys scroll the preview, which is about all rows; `each preview`: every row has its own. */
  readonly scrolls?: "preview" | "each preview"
  /** In a word or two. */
  readonly enterLabel: string
  /** What Esc does, if it does not just close the panel. */
  readonly leaves?: string
  readonly keys?: readonly PanelKey<T>[]
  /** Replaces the list of keys if that would not say it well. */
  readonly footer?: string
  /** If Ctrl+C does not just close the panel. */
  readonly interrupts?: PanelOutcome<T>
  /** Called when another row is selected. */
  readonly points?: (row: PanelRow) => void
  /** Called when it is left without a choice. */
  readonly left?: () => void
  readonly watch?: Subscribe
}

/** Calls back when the panel's content may have changed; returns a function that ends it. */
export type Subscribe = (changed: () => void) => () => void

export interface LineDefinition<T> {
  readonly kind: "line"
  readonly title: string
  readonly about?: string
  readonly text: string
  /** A secret is never drawn. */
  readonly shown: "text" | "secret"
  /** When absent, it continues. */
  readonly enterLabel?: string
  /** Shown while taking it needs a while. */
  readonly waits?: string
  readonly submit: (text: string, signal: AbortSignal) => Promise<PanelOutcome<T>>
  /** Called with the text when it is left without being submitted. */
  readonly left?: (text: string) => void
  /** What may happen without the user, as long as the line is shown; undefined if it did not. */
  readonly meanwhile?: (signal: AbortSignal) => Promise<PanelOutcome<T> | undefined>
}

export interface TextDefinition<T> {
  readonly kind: "text"
  readonly title: string
  /** A text that starts at its end is followed as it grows. */
  readonly begins: "top" | "end"
  readonly load: (signal: AbortSignal) => Promise<TextPage<T>>
  readonly watch?: Subscribe
}

export interface TextPage<T> {
  readonly about?: string
  readonly draw: Preview
  readonly keys: readonly PanelKey<T>[]
}

export type PanelDefinition<T> = ListDefinition<T> | LineDefinition<T> | TextDefinition<T>

export type PanelState<T> = ListState<T> | LineState<T> | TextState<T>

export interface ListState<T> {
  readonly kind: "list"
  readonly definition: ListDefinition<T>
  readonly isOver: boolean
  readonly shownAt: number
  readonly query: string
  /** Undefined until loaded. */
  readonly rows: readonly PanelRow[] | undefined
  /** The rows are those of an earlier search until the next ones come: none of them can be meant. */
  readonly isSearching: boolean
  readonly at: number
  readonly preview: Preview | undefined
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
  /** Undefined until loaded. */
  readonly page: TextPage<T> | undefined
  readonly place: ScrollPosition
  readonly note: string | undefined
}

export type PanelCommand<T> =
  | { readonly kind: "load" }
  | { readonly kind: "preview" }
  | { readonly kind: "run"; readonly run: (signal: AbortSignal) => Promise<PanelOutcome<T>> }
  | { readonly kind: "leave" }

export interface PanelPressed<T> {
  readonly state: PanelState<T>
  readonly wish?: PanelCommand<T>
}

/** Sooner than this after a panel appears, a key was typed for something else. */
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
    shownAt: definition.asked ? Number.NEGATIVE_INFINITY : now,
    query: definition.query ?? "",
    rows: undefined,
    isSearching: false,
    at: 0,
    preview: undefined,
    scrolled: 0,
    note: undefined,
  }
}

export function shownRows<T>({ definition, query, rows = [] }: ListState<T>): readonly PanelRow[] {
  if (definition.search !== "rows") return rows
  if (definition.find) return definition.find(rows, query)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(({ text, facts = "", group = "" }) => {
    const all = `${text} ${facts} ${group}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** There is something to read before choosing, and it is not on the screen yet. */
export const isUnread = <T>({ definition, preview }: ListState<T>): boolean =>
  definition.scrolls === "preview" && preview === undefined

export const isOverQuestions = <T>(state: PanelState<T> | undefined): boolean =>
  state?.kind === "list" && state.definition.over === "questions"

export const pointedRow = <T>(state: ListState<T>): PanelRow | undefined => shownRows(state)[state.at]

/** The selected row stays selected, or else the current one. */
export function withRows<T>(state: ListState<T>, rows: readonly PanelRow[]): ListState<T> {
  const before = state.rows && pointedRow(state)?.key
  const next = { ...state, rows, isSearching: false, preview: undefined }
  const shown = shownRows(next)
  const same = shown.findIndex(({ key, mark, starts }) =>
    before === undefined ? mark === "current" || starts === true : key === before,
  )
  return { ...next, at: same === -1 ? Math.max(0, Math.min(state.at, shown.length - 1)) : same }
}

export function pressPanel<T>(state: PanelState<T>, key: Key, now: number, size: Size): PanelPressed<T> {
  const name = key.kind === "key" ? key.name : ""
  // Whoever is still typing something else has not read it yet; leaving is always meant.
  const interrupts = state.kind === "list" && name === "ctrl+c" ? state.definition.interrupts : undefined
  if (now - state.shownAt < tooSoonMs && (name !== "ctrl+c" || interrupts)) return { state: { ...state, shownAt: now } }
  if (interrupts) return { state, wish: { kind: "run", run: async () => interrupts } }
  if (name === "escape" || name === "ctrl+c") return { state, wish: { kind: "leave" } }
  const calm = state.note === undefined ? state : { ...state, note: undefined }
  if (calm.kind === "text") return pressText(calm, key, panelSize(size))
  return calm.kind === "line" ? pressLine(calm, key) : pressList(calm, key, panelSize(size).columns)
}

function pressText<T>(state: TextState<T>, key: Key, { columns, rows }: Size): PanelPressed<T> {
  const { page, definition, place } = state
  if (!page) return { state }
  const own = key.kind === "text" ? page.keys.find(({ name }) => name === key.text) : undefined
  if (own) return { state, wish: { kind: "run", run: (signal) => own.run(undefined, signal) } }
  const fit = { count: page.draw(columns).length, room: roomIn(rows, page.about) }
  const name = key.kind === "key" ? key.name : key.text
  const wheel = wheelSteps[name]
  const by =
    wheel !== undefined
      ? wheel * wheelRows
      : name === "pageup"
        ? -fit.room
        : name === "pagedown" || name === " "
          ? fit.room
          : steps[name]
  if (by === undefined) return { state }
  return { state: { ...state, place: moved(place, by, fit, definition.begins === "end" ? "grows" : "stays") } }
}

function pressLine<T>(state: LineState<T>, key: Key): PanelPressed<T> {
  if (key.kind === "key" && key.name === "enter") {
    const text = fullText(state.editor).trim()
    return text === ""
      ? { state: { ...state, note: "Type some text first, or press Esc." } }
      : { state, wish: { kind: "run", run: (signal) => state.definition.submit(text, signal) } }
  }
  // One line: a paste with several is joined.
  const one = key.kind === "paste" ? { ...key, text: key.text.replaceAll(/\s*\n\s*/g, " ") } : key
  return { state: { ...state, editor: press(state.editor, one) ?? state.editor } }
}

/** A list with letters of its own changes too often for numbers. */
export const isNumbered = <T>({ search, purpose, keys = [] }: ListDefinition<T>): boolean =>
  search === "none" && purpose !== "reads" && keys.every(({ name }) => name.length > 1)

function pressList<T>(state: ListState<T>, key: Key, columns: number): PanelPressed<T> {
  const { definition } = state
  if (isUnread(state)) return { state }
  if (key.kind !== "key") {
    const letter = definition.search === "none" && definition.keys?.find(({ name }) => name === key.text)
    if (letter) return { state, wish: { kind: "run", run: (signal) => letter.run(pointedRow(state), signal) } }
    const mark = pointedRow(state)?.mark
    if (definition.search === "none" && key.text === " " && (mark === "on" || mark === "off")) return chooses(state)
    const digit = isNumbered(definition) && /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : undefined
    if (digit !== undefined) return digit < shownRows(state).length ? chooses({ ...state, at: digit }) : { state }
    return definition.search === "none" ? { state } : searches(state, state.query + key.text.replaceAll(/\s+/g, " "))
  }
  const wheel = wheelSteps[key.name]
  if (definition.scrolls && (key.name === "pageup" || key.name === "pagedown" || wheel !== undefined)) {
    const last = Math.max(0, (state.preview?.(columns).length ?? 0) - 1)
    const by = wheel === undefined ? (steps[key.name] ?? 0) : wheel * wheelRows
    return { state: { ...state, scrolled: Math.max(0, Math.min(last, state.scrolled + by)) } }
  }
  if (wheel !== undefined) return points(state, wheel, "stops")
  const own = definition.keys?.find(({ name }) => name === key.name)
  if (own) return { state, wish: { kind: "run", run: (signal) => own.run(pointedRow(state), signal) } }
  switch (key.name) {
    case "enter":
      return chooses(state)
    case "backspace":
      return state.query === "" ? { state } : searches(state, [...state.query].slice(0, -1).join(""))
    case "ctrl+u":
      return state.query === "" ? { state } : searches(state, "")
    case "left":
    case "right":
      return points(state, toHead(state, key.name))
    default:
      return points(state, steps[key.name])
  }
}

const wheelSteps: { readonly [key: string]: number } = { wheelup: -1, wheeldown: 1 }
const wheelRows = 3

/** With the mouse: the first click selects a row, one on the selected row chooses it. */
export function clickPanel<T>(state: PanelState<T>, index: number | undefined): PanelPressed<T> {
  if (index === undefined || state.kind !== "list" || state.definition.purpose === "reads" || isUnread(state))
    return { state }
  return index === state.at ? chooses(state) : points(state, index - state.at, "stops")
}

/** How far it is to the next row that left and right stop at. */
function toHead<T>(state: ListState<T>, key: "left" | "right"): number | undefined {
  const heads = shownRows(state).flatMap(({ isHead }, i) => (isHead ? [i] : []))
  const next = key === "left" ? heads.findLast((i) => i < state.at) : heads.find((i) => i > state.at)
  return next === undefined ? undefined : next - state.at
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

function points<T>(
  state: ListState<T>,
  by: number | undefined,
  beyond: "goes around" | "stops" = "goes around",
): PanelPressed<T> {
  const count = shownRows(state).length
  if (by === undefined || count === 0) return { state }
  // One step beyond an end comes out at the other; a leap stops there.
  const goesAround = Math.abs(by) === 1 && beyond === "goes around"
  const at = goesAround ? (state.at + by + count) % count : Math.max(0, Math.min(count - 1, state.at + by))
  const { scrolls } = state.definition
  // One that is about all rows stays, and any other that scrolls until the next one is there.
  const preview = scrolls ? state.preview : undefined
  const scrolled = scrolls === "each preview" ? 0 : state.scrolled
  return { state: { ...state, at, preview, scrolled }, wish: { kind: "preview" } }
}

function searches<T>(state: ListState<T>, query: string): PanelPressed<T> {
  const isSearching = state.definition.search === "loader"
  const next = { ...state, query, isSearching, at: 0, preview: undefined }
  return { state: next, wish: { kind: isSearching ? "load" : "preview" } }
}

function chooses<T>(state: ListState<T>): PanelPressed<T> {
  const row = state.isSearching ? undefined : pointedRow(state)
  return row ? { state, wish: { kind: "run", run: (signal) => state.definition.choose(row, signal) } } : { state }
}
