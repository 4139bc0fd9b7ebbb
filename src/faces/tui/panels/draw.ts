/** Panels as rows. */

import type { Size } from "#faces/tui/screen/screen.ts"
import { bold, colourNamed, cyan, dim, green, yellow } from "#faces/tui/screen/style.ts"
import { beside, fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import {
  type ListState,
  type LineState,
  type PanelRow,
  type PanelState,
  isNumbered,
  isUnread,
  shownRows,
  type TextState,
} from "./panel.ts"
import { firstRow, roomIn } from "./place.ts"

/** This many choices stay visible beside a preview. */
const leastChoices = 4

export function panelRows<T>(state: PanelState<T>, columns: number, height: number): string[] {
  if (state.kind === "text") return textRows(state, columns, height)
  if (state.kind === "line") return lineRows(state, columns)
  return listRows(state, columns, height).map(({ text }) => text)
}

/** Which row of a list is drawn in this line; undefined if none is. */
export const rowAt = <T>(state: PanelState<T>, { columns, rows }: Size, line: number): number | undefined =>
  state.kind === "list" ? listRows(state, columns, rows)[line]?.of : undefined

export function panelHint<T>(state: PanelState<T>): string {
  const leaves = "isOver" in state && !state.isOver ? "close" : "go back"
  if (state.kind === "line") return `Enter to ${state.definition.enterLabel ?? "continue"} · Esc to ${leaves}`
  if (state.kind === "text") {
    const keys = (state.page?.keys ?? []).map(({ name, about }) => `${name} to ${about}`)
    return [...keys, "↑↓ to scroll", `Esc to ${leaves}`].join(" · ")
  }
  const { search, enterLabel, purpose, footer, keys = [] } = state.definition
  const isEmpty = state.rows?.length === 0
  if (footer !== undefined && !isEmpty) return footer
  const esc = `Esc to ${state.isOver ? leaves : (state.definition.leaves ?? leaves)}`
  if (purpose === "reads") return esc
  return [
    ...(search === "none" || (search === "rows" && isEmpty) ? [] : ["Type to search"]),
    ...(state.rows?.some(({ mark }) => mark === "on" || mark === "off") ? ["Space to toggle"] : []),
    ...(isEmpty ? [] : [`Enter to ${enterLabel}`]),
    ...keys.filter(({ of }) => !isEmpty || of !== "row").map(({ name, about }) => `${keyName(name)} to ${about}`),
    esc,
  ].join(" · ")
}

/** As people write it: `Ctrl+X`; a single letter stays. */
const keyName = (name: string): string =>
  name.length === 1 ? name : name.replaceAll(/(^|\+)([a-z])/g, (all) => all.toUpperCase())

function lineRows<T>({ definition, editor, note }: LineState<T>, columns: number): string[] {
  const { text, at } = editor.buffer
  const shown =
    definition.shown === "secret"
      ? `${"•".repeat(Math.min(40, text.length))}▏`
      : `${text.slice(0, at)}▏${text.slice(at)}`
  return [...head(definition, columns), "", ...wrapped(forConsent(shown), columns), ...noteRows(note, columns)]
}

/** As much as fits, and which part that is. */
function textRows<T>({ definition, page, place, note }: TextState<T>, columns: number, height: number): string[] {
  const title = bold(forConsent(definition.title))
  const below = noteRows(note, columns)
  if (!page) return [fitted(title, columns), "", dim("…"), ...below]
  const rows = page.draw(columns)
  const fit = { count: rows.length, room: Math.max(1, roomIn(height, page.about) - below.length) }
  const from = firstRow(place, fit)
  const part = `${from + 1}–${Math.min(rows.length, from + fit.room)} of ${rows.length}`
  return [
    beside(title, rows.length > fit.room ? dim(part) : "", columns),
    ...(page.about === undefined ? [] : [fitted(dim(forConsent(page.about)), columns)]),
    "",
    ...rows.slice(from, from + fit.room),
    ...below,
  ]
}

const head = (
  { title, about }: { readonly title: string; readonly about?: string },
  columns: number,
): readonly string[] => [
  ...wrapped(bold(forConsent(title)), columns),
  ...(about === undefined ? [] : about.split("\n").flatMap((line) => wrapped(forConsent(line), columns).map(dim))),
]

const noteRows = (note: string | undefined, columns: number): readonly string[] =>
  note === undefined ? [] : ["", ...wrapped(forConsent(note), columns).map(yellow)]

/** A line of a list, with the number of the row it belongs to. */
interface ListLine {
  readonly text: string
  readonly of?: number
}

const plain = (rows: readonly string[]): readonly ListLine[] => rows.map((text) => ({ text }))

function listRows<T>(state: ListState<T>, columns: number, height: number): readonly ListLine[] {
  const { definition, query, rows, preview, note } = state
  const searching =
    definition.search === "none" || query === "" ? [] : [fitted(`${dim("search:")} ${forConsent(query)}▏`, columns)]
  const below = [...noteRows(note, columns)]
  const whole = [...head(definition, columns), ...searching, ""]
  // What scrolls must not give way to words about it.
  const isNarrow = definition.scrolls !== undefined && height - whole.length - below.length < leastChoices + 2
  const top = isNarrow ? [...head({ title: definition.title }, columns), ...searching] : whole
  const drawn = preview ? [...preview(columns)] : []
  const room = Math.max(1, height - top.length - below.length)
  const shown = shownRows(state)
  if (rows === undefined || isUnread(state)) return plain([...top, dim("…"), ...below])
  // What went wrong says more than that there is nothing.
  if (rows.length === 0 && note !== undefined) return plain([...top.slice(0, -1), ...below])
  const nothing = query === "" ? definition.empty : "No matches."
  if (shown.length === 0) return plain([...top, ...wrapped(forConsent(nothing), columns).map(dim), ...below])
  const wanted = shown.length + groupsOf(shown)
  const forPreview =
    drawn.length === 0
      ? 0
      : Math.max(definition.scrolls ? 1 : 0, Math.min(drawn.length + 1, room - Math.min(wanted, leastChoices)))
  const choices = choiceRows(state, shown, columns, Math.max(1, room - forPreview))
  const left = room - choices.length
  const seen = definition.scrolls
    ? [...(left > 2 ? [""] : []), ...windowOf(state, drawn, left > 2 ? left - 1 : left)]
    : left < 2
      ? []
      : ["", ...drawn.slice(0, left - 1)]
  return [...plain(top), ...choices, ...plain([...(drawn.length === 0 ? [] : seen), ...below])]
}

function windowOf<T>({ scrolled }: ListState<T>, drawn: readonly string[], room: number): readonly string[] {
  if (drawn.length <= room) return drawn
  const shown = Math.max(1, room - 1)
  const from = Math.min(scrolled, drawn.length - shown)
  const part = dim(`Lines ${from + 1}–${from + shown} of ${drawn.length} · PgUp/PgDn to scroll`)
  return room <= 1 ? [part].slice(0, room) : [...drawn.slice(from, from + shown), part]
}

const groupsOf = (rows: readonly PanelRow[]): number =>
  rows.filter(({ group }, i) => startsGroup(rows, i, group)).length

const startsGroup = (rows: readonly PanelRow[], i: number, group: string | undefined): boolean =>
  group !== undefined && rows[i - 1]?.group !== group

/** Those around the selected one, with their groups. */
function choiceRows<T>(state: ListState<T>, shown: readonly PanelRow[], columns: number, most: number): ListLine[] {
  const reads = state.definition.purpose === "reads"
  const numbered = isNumbered(state.definition)
  const marked = shown.some(({ mark }) => mark === "current")
  const room = columns - (numbered ? 5 : 2) - (marked ? 2 : 0) - 2
  const byGroup = state.definition.aligned === "by group"
  const widths = new Map<string | undefined, number>()
  const columnOf = ({ group }: PanelRow): string | undefined => (byGroup ? group : undefined)
  for (const row of shown)
    if (row.facts !== undefined)
      widths.set(columnOf(row), Math.max(widths.get(columnOf(row)) ?? 0, widthOf(forConsent(row.text))))
  // A graph would fall apart.
  const isStacked = columns < narrow && !byGroup && shown.some(({ text, facts }) => isTooLong(text, facts, room))
  const all = shown.flatMap((row, i) => {
    const pointed = i === state.at
    const column = Math.min(widths.get(columnOf(row)) ?? 0, Math.max(12, Math.floor(room * 0.6)))
    const shows = pointed && !reads
    const lead = reads ? "" : `${shows ? "❯" : " "} ${numbered ? `${i + 1}. ` : ""}`
    const mark = markOf(row, marked)
    const indent = " ".repeat(widthOf(lead) + widthOf(mark))
    const colour = shows ? cyan : colourNamed(row.color)
    const facts = row.facts === undefined ? undefined : dim(forConsent(row.facts))
    const [first = "", ...rest] =
      facts === undefined
        ? inFewRows(forConsent(row.text), room + 2)
        : [fitted(forConsent(row.text), isStacked ? room + 2 : column)]
    const aside =
      facts === undefined || isStacked ? "" : `${" ".repeat(Math.max(0, column - widthOf(first)) + 2)}${facts}`
    const own = [
      colour(lead) + mark + colour(first) + aside,
      ...rest.map((text) => indent + colour(text)),
      ...(facts !== undefined && isStacked ? [`${indent}  ${facts}`] : []),
    ].map((text, line) => ({ text: fitted(text, columns), pointed: pointed && line === 0, of: i }))
    const group = startsGroup(shown, i, row.group) ? [{ text: dim(forConsent(row.group ?? "")), pointed: false }] : []
    return [...group, ...own]
  })
  const at = all.findIndex(({ pointed }) => pointed)
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), all.length - most))
  return all.slice(from, from + most)
}

const mostTextRows = 3

/** What goes beyond them is cut. */
function inFewRows(text: string, columns: number): readonly string[] {
  const rows = wrapped(text, columns)
  if (rows.length <= mostTextRows) return rows
  return [...rows.slice(0, mostTextRows - 1), fitted(rows.slice(mostTextRows - 1).join(" "), columns)]
}

/** Below this many columns facts that do not fit beside their row stand under it. */
const narrow = 80

const isTooLong = (text: string, facts: string | undefined, room: number): boolean =>
  facts !== undefined && widthOf(forConsent(text)) + 2 + widthOf(forConsent(facts)) > room + 2

/** If any row is marked, all leave room for the mark. */
function markOf({ mark }: PanelRow, marked: boolean): string {
  switch (mark) {
    case "current":
      return `${green("●")} `
    case "on":
      return "[x] "
    case "off":
      return "[ ] "
    default:
      return marked ? "  " : ""
  }
}
