/** What is on a terminal's screen, as a picture that scales: cells with their colours, nothing else. */

import type { IBufferCell, Terminal } from "@xterm/headless"

const cell = { width: 8.4, height: 18 }
const margin = 16
const ground = "#15171c"
const ink = "#d5d8df"

/** The sixteen colours of a terminal, in a calm set of their own. */
const basic = [
  "#20232a",
  "#e06c75",
  "#98c379",
  "#e5c07b",
  "#61afef",
  "#c678dd",
  "#56b6c2",
  "#c8ccd4",
  "#5c6370",
  "#ef7a85",
  "#a9d08b",
  "#f0cd89",
  "#7cc0ff",
  "#d795ea",
  "#6cc9d4",
  "#ffffff",
] as const

/** The last rows that hold anything, as SVG. */
export function svgOf(terminal: Terminal, lastRows: number): string {
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => at)
  const last = lines.findLast((at) => (active.getLine(at)?.translateToString(true).trim() ?? "") !== "") ?? 0
  const first = Math.max(0, last - lastRows + 1)
  const rows = lines.slice(first, last + 1)
  const width = terminal.cols * cell.width + 2 * margin
  const height = rows.length * cell.height + 2 * margin
  const body = rows.map((at, row) => rowOf(terminal, at, margin + row * cell.height)).join("")
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="${ground}"/>
${body}</svg>
`
}

interface Run {
  readonly from: number
  readonly width: number
  readonly text: string
  readonly look: Look
}

interface Look {
  readonly ink: string
  readonly ground: string | undefined
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
}

function rowOf(terminal: Terminal, at: number, top: number): string {
  return runsOf(terminal, at)
    .map(({ from, width, text, look }) => {
      const x = (margin + from * cell.width).toFixed(1)
      const length = (width * cell.width).toFixed(1)
      const behind = look.ground
        ? `<rect x="${x}" y="${top}" width="${length}" height="${cell.height}" fill="${look.ground}"/>`
        : ""
      if (text.trim() === "") return behind
      const style = [
        `fill="${look.ink}"`,
        ...(look.bold ? ['font-weight="600"'] : []),
        ...(look.italic ? ['font-style="italic"'] : []),
        ...(look.underline ? ['text-decoration="underline"'] : []),
        ...(look.dim ? ['opacity="0.6"'] : []),
      ].join(" ")
      // The length is given, so that every font keeps the columns.
      return `${behind}<text x="${x}" y="${top + 13}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${style}>${escaped(text)}</text>`
    })
    .join("")
    .concat("\n")
}

/** Neighbouring cells of the same look are one run; blanks at the ends of a run stay out of it. */
function runsOf(terminal: Terminal, at: number): readonly Run[] {
  const line = terminal.buffer.active.getLine(at)
  const runs: Run[] = []
  for (let column = 0; line && column < terminal.cols; column++) {
    const one = line.getCell(column)
    if (!one || one.getWidth() === 0) continue
    const look = lookOf(one)
    const text = one.getChars() || " "
    const width = one.getWidth()
    const before = runs.at(-1)
    const joins =
      before && JSON.stringify(before.look) === JSON.stringify(look) && before.from + before.width === column
    if (joins) runs[runs.length - 1] = { ...before, width: before.width + width, text: before.text + text }
    else runs.push({ from: column, width, text, look })
  }
  return runs.filter(({ text, look }) => text.trim() !== "" || look.ground !== undefined)
}

function lookOf(one: IBufferCell): Look {
  const front = colourOf(one.isFgRGB(), one.isFgPalette(), one.getFgColor())
  const back = colourOf(one.isBgRGB(), one.isBgPalette(), one.getBgColor())
  const isInverse = one.isInverse() !== 0
  return {
    ink: (isInverse ? back : front) ?? (isInverse ? ground : ink),
    ground: isInverse ? (front ?? ink) : back,
    bold: one.isBold() !== 0,
    dim: one.isDim() !== 0,
    italic: one.isItalic() !== 0,
    underline: one.isUnderline() !== 0,
  }
}

function colourOf(isRgb: boolean, isPalette: boolean, value: number): string | undefined {
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`
  if (!isPalette) return undefined
  if (value < 16) return basic[value]
  if (value >= 232) return grey(8 + (value - 232) * 10)
  const steps = [0, 95, 135, 175, 215, 255]
  const index = value - 16
  return rgb([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => steps[step] ?? 0))
}

const grey = (level: number): string => rgb([level, level, level])
const rgb = (parts: readonly number[]): string => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").trimEnd()
