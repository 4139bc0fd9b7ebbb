/** Parts of a text that panels show: facts, a paragraph, a list, each drawn for a width. */

import { bold, dim, yellow } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"
import { forConsent, forReading } from "#lib/printable.ts"
import type { Preview } from "./panel.ts"

/** Separated by an empty row; empty ones are left out. */
export const passage =
  (...parts: readonly (Preview | undefined)[]): Preview =>
  (columns) =>
    parts
      .map((part) => part?.(columns) ?? [])
      .filter((rows) => rows.length > 0)
      .flatMap((rows, i) => (i === 0 ? rows : ["", ...rows]))

/** In two columns; unknown values are left out. */
export function factRows(facts: readonly (readonly [name: string, value: string | undefined])[]): Preview {
  const known = facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value] as const]))
  const widest = Math.max(0, ...known.map(([name]) => name.length))
  return (columns) =>
    known.flatMap(([name, value]) =>
      wrapped(forConsent(value), Math.max(8, columns - widest - 2)).map((row, i) =>
        fitted(`${dim((i === 0 ? name : "").padEnd(widest))}  ${row}`, columns),
      ),
    )
}

/** Foreign text below a heading. */
export const textRows =
  (heading: string, text: string | undefined, mostRows?: number): Preview =>
  (columns) => {
    const said = forReading(text ?? "").trim()
    if (said === "") return []
    const rows = wrapped(said, columns - 2).map((row) => (row === "" ? "" : `  ${row}`))
    return [fitted(bold(heading), columns), ...(mostRows === undefined ? rows : rows.slice(-mostRows))]
  }

export const warningRows =
  (text: string | undefined): Preview =>
  (columns) =>
    text === undefined || text === "" ? [] : wrapped(forReading(text), columns).map(yellow)

export const listRows =
  (heading: string, rows: readonly (readonly [text: string, facts: string])[]): Preview =>
  (columns) => {
    if (rows.length === 0) return []
    const widest = Math.max(...rows.map(([text]) => widthOf(forConsent(text))))
    const column = Math.min(widest, Math.floor((columns - 2) / 2))
    return [
      fitted(bold(forConsent(heading)), columns),
      ...rows.map(([text, facts]) => {
        const name = fitted(forConsent(text), column)
        return fitted(`  ${name}${" ".repeat(column - widthOf(name))}  ${dim(forConsent(facts))}`, columns)
      }),
    ]
  }
