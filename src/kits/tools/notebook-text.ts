/** Changes one cell in the text of a notebook; every byte outside that cell stays the same. */

import type { CellType } from "./notebook-call.ts"
import type { JsonObject } from "#lib/json.ts"
import { elementsAt, membersAt, type JsonSpan, startOfValue } from "#lib/json-spans.ts"
import { type JsonStyle, printJson, printList, printObject, separator, styleOf } from "#lib/json-style.ts"

export type CellChange =
  | { readonly kind: "replace"; readonly at: number; readonly cell: NewCell }
  /** Inserts the cell after the one at `after`; -1 is the beginning. */
  | { readonly kind: "insert"; readonly after: number; readonly cell: NewCell }
  | { readonly kind: "delete"; readonly at: number }

export interface NewCell {
  readonly type: CellType
  readonly source: string
  /** Set if the format requires ids and the cell has none. */
  readonly id?: string
}

/** Cells are in an array of the top-level object. */
const cellDepth = 2

/** The text must be a valid notebook, and contain the cell. */
export function changeCell(text: string, cells: readonly JsonObject[], change: CellChange): string {
  const list = membersAt(text, startOfValue(text)).findLast(({ key }) => key === "cells")
  if (list === undefined) return text
  const places = elementsAt(text, list.start)
  const style = styleOf(text)
  switch (change.kind) {
    case "replace": {
      const place = places[change.at]
      return place === undefined ? text : spliced(text, place, replaced(text, place, change.cell, style))
    }
    case "insert": {
      const cell = created(cells, change, style)
      const [first] = places
      if (first === undefined) return spliced(text, list, printList([cell], style, cellDepth - 1))
      const before = places[change.after]
      const between = separator(style, cellDepth)
      if (before === undefined) return spliced(text, { start: first.start, end: first.start }, cell + between)
      return spliced(text, { start: before.end, end: before.end }, between + cell)
    }
    case "delete":
      return spliced(text, places.length === 1 ? list : withComma(places, change.at), places.length === 1 ? "[]" : "")
  }
}

const spliced = (text: string, { start, end }: JsonSpan, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

/** A cell with the comma that separates it from its neighbour. */
function withComma(places: readonly JsonSpan[], at: number): JsonSpan {
  const [place, next, previous] = [places[at], places[at + 1], places[at - 1]]
  const start = next === undefined ? previous?.end : place?.start
  return { start: start ?? 0, end: (next === undefined ? place?.end : next.start) ?? 0 }
}

function replaced(text: string, place: JsonSpan, { type, source, id }: NewCell, style: JsonStyle): string {
  const old = new Map(membersAt(text, place.start).map(({ key, start, end }) => [key, text.slice(start, end)]))
  const print = (value: Parameters<typeof printJson>[0]): string => printJson(value, style, cellDepth + 1)
  const isList = old.get("source")?.startsWith("[") ?? true
  const changes: readonly (readonly [string, string | undefined])[] = [
    ["cell_type", print(type)],
    ["source", print(isList ? linesWithEnds(source) : source)],
    ["metadata", old.get("metadata") ?? "{}"],
    // Old output does not belong to the new source; and only code has outputs, only prose has attachments.
    ["outputs", type === "code" ? "[]" : undefined],
    ["execution_count", type === "code" ? "null" : undefined],
    ...(type === "code" ? [["attachments", undefined] as const] : []),
    ...(id === undefined ? [] : [["id", print(id)] as const]),
  ]
  const members = [...old]
  for (const [key, printed] of changes) put(members, key, printed)
  return printObject(members, style, cellDepth)
}

/** Sets or removes a member; a new one is inserted alphabetically if the others are sorted, otherwise at the end. */
function put(members: [string, string][], key: string, printed: string | undefined): void {
  const at = members.findIndex(([name]) => name === key)
  if (at !== -1) members.splice(at, 1, ...(printed === undefined ? [] : [[key, printed] satisfies [string, string]]))
  if (at !== -1 || printed === undefined) return
  const isSorted = members.every(([name], i) => i === 0 || (members[i - 1]?.[0] ?? "") < name)
  const behind = isSorted ? members.findIndex(([name]) => name > key) : -1
  members.splice(behind === -1 ? members.length : behind, 0, [key, printed])
}

/** A new cell, with its members in the same order as its neighbours'. */
function created(
  cells: readonly JsonObject[],
  { after, cell }: CellChange & { kind: "insert" },
  style: JsonStyle,
): string {
  const { type, source, id } = cell
  const neighbours = [...cells.slice(0, after + 1).toReversed(), ...cells.slice(after + 1)]
  const model = neighbours.find(({ cell_type }) => cell_type === type) ?? neighbours[0] ?? {}
  const isText = typeof (model.source ?? []) === "string"
  const members: { readonly [key: string]: Parameters<typeof printJson>[0] } = {
    cell_type: type,
    ...(type === "code" && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(type === "code" && { outputs: [] }),
    source: isText ? source : linesWithEnds(source),
  }
  const order = Object.keys(model)
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length)
  const keys = Object.keys(members).sort((a, b) => rank(a) - rank(b))
  return printJson(Object.fromEntries(keys.map((key) => [key, members[key] ?? null])), style, cellDepth)
}

/** A source as notebooks store it: a list of lines with their endings. */
function linesWithEnds(source: string): string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
