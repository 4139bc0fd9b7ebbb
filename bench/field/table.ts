/** The results as one table, for reading in Markdown and for showing as a picture. */

import type { Axis, Sample } from "./axis.ts"
import type { Peer } from "./peer.ts"

/** A line of the raw results. */
export interface ResultLine {
  readonly axis: string
  readonly peer: string
  readonly version: string
  readonly round: number
  readonly at: string
  readonly hasNetwork: boolean
  readonly samples: readonly Sample[]
  readonly failed?: string
  /** How long the question took. */
  readonly seconds?: number
}

export interface Circumstances {
  readonly date: string
  readonly machine: string
  readonly hasNetwork: boolean
  readonly steps: number
  /** What was special about this run; may be empty. */
  readonly note: string
}

export interface Grid {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly notes: readonly string[]
}

export function gridOf(lines: readonly ResultLine[], axes: readonly Axis[], peers: readonly Peer[]): Grid {
  const shown = peers.filter(({ id }) => lines.some(({ peer }) => peer === id))
  const measured = axes.filter(({ id }) => lines.some(({ axis }) => axis === id))
  const notes = new Set<string>()
  const rows = measured.flatMap((axis) =>
    axis.rows.map(({ what, cell }) => [
      what,
      ...shown.map((peer) => {
        const ours = lines.filter((line) => line.axis === axis.id && line.peer === peer.id)
        const samples = ours.flatMap((line) => line.samples)
        const missing = samples.find(({ missing: feature }) => feature !== undefined)?.missing
        if (missing !== undefined) return `${missing}`
        if (samples.length === 0) return ours.some(({ failed }) => failed !== undefined) ? "failed" : "not run"
        const note = samples.find((sample) => sample.note !== undefined)?.note
        if (note !== undefined) notes.add(`${peer.title}, ${what}: ${note}.`)
        return `${cell(samples)}${note === undefined ? "" : "*"}`
      }),
    ]),
  )
  return {
    head: ["", ...shown.map(({ title, version }) => `${title} ${version}`)],
    rows,
    notes: [
      ...[...notes].map((note) => `\\* ${note}`),
      ...measured.map(({ rows: [row], how }) => `**${row?.what}**: ${how}`),
      ...shown.flatMap(({ title, documentation }) =>
        documentation === undefined ? [] : [`${title}: settings as documented at ${documentation}.`],
      ),
    ],
  }
}

export function markdown(
  { head, rows, notes }: Grid,
  { date, machine, hasNetwork, steps, note }: Circumstances,
): string {
  const network = hasNetwork ? "The network was not closed." : "There was no network but loopback."
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [
    `# What a harness costs, loses and repeats: ${date}`,
    "",
    `Measured by \`npm run field\` on ${machine}. ${network} Long sessions have ${steps} steps. A scripted model answers every agent at once with the same answers, in the words of its own tools; each agent may do everything without asking. Runs of the agents take turns, one at a time. Processor time, counts and bytes mean more than times on the clock.`,
    "",
    line(head),
    line(head.map((_, i) => (i === 0 ? "---" : "---:"))),
    ...rows.map(line),
    "",
    ...(note === "" ? [] : [note, ""]),
    "How it is measured:",
    "",
    ...notes.map((each) => `- ${each}`),
    "",
  ].join("\n")
}

const widths = { what: 300, cell: 150, row: 26, pad: 14 }

export function picture({ head, rows }: Grid, { date, machine }: Circumstances): string {
  const width = widths.what + widths.cell * (head.length - 1) + 2 * widths.pad
  const height = (rows.length + 4) * widths.row
  const text = (words: string, x: number, y: number, extra = ""): string =>
    `<text x="${x}" y="${y}"${extra}>${escaped(words)}</text>`
  const row = (cells: readonly string[], index: number, extra = ""): string =>
    cells
      .map((cell, i) =>
        i === 0
          ? text(cell, widths.pad, (index + 2) * widths.row, extra)
          : text(
              fitted(cell),
              widths.pad + widths.what + widths.cell * i - 8,
              (index + 2) * widths.row,
              ` text-anchor="end"${i === 1 ? ' font-weight="600"' : ""}${extra}`,
            ),
      )
      .join("")
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12.5" fill="#1f2328">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text("What a harness costs, loses and repeats", widths.pad, widths.row, ' font-size="15" font-weight="600"'),
    row(head, 0, ' fill="#57606a"'),
    ...rows.map((cells, i) => {
      const y = (i + 2) * widths.row + 9
      return `<line x1="${widths.pad}" y1="${y}" x2="${width - widths.pad}" y2="${y}" stroke="#d0d7de"/>${row(cells, i + 1)}`
    }),
    text(
      `${date} · ${machine} · npm run field`,
      widths.pad,
      (rows.length + 3) * widths.row,
      ' fill="#57606a" font-size="11"',
    ),
    "</svg>",
    "",
  ].join("\n")
}

const fitted = (cell: string): string => (cell.length > 24 ? `${cell.slice(0, 23)}…` : cell)

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
