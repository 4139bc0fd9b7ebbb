/** An answer to a question of the bench, as a row of the table. */

import { shown } from "./figures.ts"

export interface Row {
  readonly what: string
  readonly ours: string
  /** The floor, with its name. */
  readonly floor: string
  readonly ratio: string
  readonly toReach: string
  readonly reached: "yes" | "no" | "-"
}

/** A figure that should be small, beside the floor measured in the same run. */
export interface Figure {
  readonly what: string
  readonly ours: number
  readonly unit: string
  readonly floor?: { readonly name: string; readonly value: number } | undefined
  /** What it should come to at most; none where the figure is only for the reader. */
  readonly toReach?: number
  /** Said after our figure. */
  readonly note?: string
}

export function rowOf({ what, ours, unit, floor, toReach, note }: Figure): Row {
  if (Number.isNaN(ours)) return { what, ours: "not measured here", floor: "-", ratio: "-", toReach: "-", reached: "-" }
  return {
    what,
    ours: `${shown(ours, unit)}${note === undefined ? "" : ` (${note})`}`,
    floor: floor ? `${shown(floor.value, unit)} (${floor.name})` : "-",
    ratio: floor ? `x${(ours / floor.value).toFixed(2)}` : "-",
    toReach: toReach === undefined ? "-" : shown(toReach, unit),
    reached: toReach === undefined ? "-" : ours <= toReach ? "yes" : "no",
  }
}

/** Prints rows for a reader, or as lines of JSON for whoever puts the table together. */
export function answer(...rows: readonly Row[]): void {
  for (const row of rows) console.log(process.argv.includes("--rows") ? JSON.stringify(row) : sentence(row))
}

function sentence({ what, ours, floor, ratio, toReach, reached }: Row): string {
  const verdict = reached === "-" ? "" : reached === "yes" ? ", reached" : ", not reached"
  return `${what}: ${ours}; floor ${floor}, ratio ${ratio}; to reach ${toReach}${verdict}`
}

/** The rows as one table in Markdown. */
export function table(rows: readonly Row[]): string {
  const head: Row = {
    what: "what",
    ours: "ours",
    floor: "floor",
    ratio: "ratio",
    toReach: "to reach",
    reached: "-",
  }
  const cells = [head, ...rows].map(({ what, ours, floor, ratio, toReach, reached }, i) => [
    what,
    ours,
    floor,
    ratio,
    toReach,
    i === 0 ? "reached" : reached,
  ])
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? []
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [first = [], ...rest] = cells
  return [line(first), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rest.map(line)].join("\n")
}
