/**
 * The column beside the prompt in a wide terminal: the list of work, agents, changed files, and the context.
 * Only the rows around the prompt have it: what is above them is in the terminal's own scrollback, which nobody can redraw.
 */

import type { FileChange } from "#faces/tui/beside.ts"
import type { Size } from "#faces/tui/screen/screen.ts"
import { dim, green, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, widthOf } from "#faces/tui/screen/width.ts"
import type { Status, TuiState } from "#faces/tui/state.ts"
import { type ChangedFiles, noFiles } from "#faces/view/changed.ts"
import { counted, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { agentColumn } from "./beside-agents.ts"
import { todoRows } from "./display.ts"

export const leastForSide = 140
const mostWide = 56
/** Of the terminal's rows. */
const mostHigh = 0.4
const mostFiles = 5
const mostAgents = 3

/** Where anything else takes the prompt's place or needs its width, there is no column. */
export const hasSide = ({ side, dialog, completion, search, help }: TuiState, { columns }: Size): boolean =>
  side === "shown" && columns >= leastForSide && !dialog && !completion && !search && help === "hidden"

export const sideWidth = ({ columns }: Size): number => Math.min(mostWide, Math.floor(columns / 3))

/** Empty if there is nothing but the context, which the status row shows too. */
export function sideRows(state: TuiState, status: Status, size: Size, now: number): readonly string[] {
  const columns = sideWidth(size)
  const most = Math.max(8, Math.floor(size.rows * mostHigh))
  const { view } = state
  const open = view.todos.some((todo) => todo.status !== "completed")
  const work = state.todos === "shown" && open ? todoRows(view.todos, columns) : []
  const agents = status.agents ?? []
  const files = fileRows(status.changes ?? [], view.working?.files ?? noFiles, columns)
  if (work.length + agents.length + files.length === 0) return []
  const below = (detail: "brief" | "full"): readonly (readonly string[])[] => [
    section(
      agents.length > mostAgents ? `Agents (${agents.length})` : "Agents",
      agentColumn(agents.slice(0, mostAgents), columns, now, detail),
    ),
    section("Changed files", files),
    [contextRow(status, columns)],
  ]
  const whole = [section("Tasks", work), ...below("full")].filter((rows) => rows.length > 0)
  const apart = whole.flatMap((rows, i) => (i === 0 ? rows : ["", ...rows]))
  if (apart.length <= most) return apart
  if (whole.flat().length <= most) return whole.flat()
  const rest = below("brief").flat()
  const room = most - rest.length - 1
  return [...(room > 0 ? section("Tasks", cut(work, room)) : []), ...rest].slice(-most)
}

const section = (title: string, rows: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [dim(title), ...rows]

/** Those at the end are still to be done. */
function cut(rows: readonly string[], most: number): readonly string[] {
  if (rows.length <= most) return rows
  return [dim(`… ${rows.length - most + 1} earlier`), ...rows.slice(rows.length - most + 1)]
}

/** With figures as of the last turn; what this turn changed besides has none yet. */
function fileRows(changes: readonly FileChange[], files: ChangedFiles, columns: number): readonly string[] {
  const known = new Set(changes.map(({ path }) => path))
  const added = [...files.created, ...files.modified].filter((path) => !known.has(path))
  const rows = [
    ...changes.map((change) => besideFigures(change.path, figuresOf(change), columns)),
    ...added.map((path) => besideFigures(path, yellow("●"), columns)),
  ]
  const shown = rows.slice(-mostFiles)
  const rest = rows.length - shown.length
  return rest === 0 ? shown : [...shown, dim(`… ${counted(rest, "more file")}, /diff for all`)]
}

function figuresOf({ change, added, removed }: FileChange): string {
  if (change === "removed") return red("removed")
  return [...(added > 0 ? [green(`+${added}`)] : []), ...(removed > 0 ? [red(`-${removed}`)] : [])].join(" ")
}

/** The end of a path says most. */
function besideFigures(path: string, figures: string, columns: number): string {
  const name = forConsent(path)
  const room = columns - widthOf(figures) - 1
  const points = [...name]
  const shown = widthOf(name) <= room ? name : `…${points.slice(-(room - 1)).join("")}`
  return fitted(`${shown} ${figures}`, columns)
}

function contextRow({ session, window }: Status, columns: number): string {
  const share = Math.min(1, session.contextTokens / window)
  const cells = Math.max(4, Math.min(20, columns - 30))
  const full = Math.round(share * cells)
  const bar = `${"█".repeat(full)}${dim("░".repeat(cells - full))}`
  return fitted(`${dim("Context")} ${bar} ${Math.round(share * 100)}% ${dim(`of ${tokensText(window)}`)}`, columns)
}

/** Between the two: a bar with a space on each side. */
export const sideGap = 3

/** Both are as tall as the taller one; the prompt stays at the bottom. */
export function withSide(left: readonly string[], side: readonly string[], columns: number): readonly string[] {
  const above = Array.from({ length: Math.max(0, side.length - left.length) }, () => "")
  return [...above, ...left].map((row, i) => {
    const right = side[i]
    if (right === undefined) return row
    return `${row}${" ".repeat(Math.max(0, columns - widthOf(row)))} ${dim("│")} ${right}`
  })
}
