/** What is on a terminal's screen, as a picture that scales: cells with their colours, nothing else. */

import type { IBufferCell, Terminal } from "@xterm/headless"

const cell = { width: 8.4, height: 18 }
const margin = 16
/** The terminal's own background and text. */
export interface Paper {
  readonly ground: string
  readonly ink: string
}

export const darkPaper: Paper = { ground: "#15171c", ink: "#d5d8df" }
export const lightPaper: Paper = { ground: "#fcfcfd", ink: "#23262d" }

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
export function svgOf(terminal: Terminal, lastRows: number, paper: Paper = darkPaper): string {
  const rows = drawn(terminal, lastRows, paper)
  const width = terminal.cols * cell.width + 2 * margin
  const height = rows.length * cell.height + 2 * margin
  const body = rows.map((row, at) => placed(row, margin + at * cell.height)).join("")
  return picture(width, height, body, paper)
}

/** Each of the last rows that hold anything, drawn at the top of the picture. */
function drawn(terminal: Terminal, lastRows: number, paper: Paper): readonly string[] {
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => at)
  const last = lines.findLast((at) => (active.getLine(at)?.translateToString(true).trim() ?? "") !== "") ?? 0
  return lines.slice(Math.max(0, last - lastRows + 1), last + 1).map((at) => rowOf(terminal, at, paper))
}

/** Each row that is on the screen now. */
export function onScreen(terminal: Terminal): readonly string[] {
  const { baseY } = terminal.buffer.active
  return Array.from({ length: terminal.rows }, (_, row) => rowOf(terminal, baseY + row, darkPaper))
}

/** What the screen showed, and for how many milliseconds. */
export interface Frame {
  readonly rows: readonly string[]
  readonly ms: number
}

/** A row that stays on its line from one frame to another. */
interface Stay {
  readonly row: string
  readonly line: number
  readonly from: number
  readonly until: number
}

/**
 * A picture that moves by itself wherever SVG is shown; where motion is unwanted, its last frame. Each row is drawn
 * once for as long as it stays, because most of a screen does not change from one frame to the next.
 */
export function movieOf(frames: readonly Frame[], columns: number, rows: number): string {
  const names = new Map<string, string>()
  const nameOf = (row: string): string => {
    const name = names.get(row) ?? `r${names.size.toString(36)}`
    names.set(row, name)
    return name
  }
  const times = [0]
  for (const { ms } of frames) times.push((times.at(-1) ?? 0) + ms)
  const whole = times.at(-1) ?? 0
  const moves = new Map<string, string>()
  const moveOf = ({ from, until }: Stay): string => {
    const name = `m${from.toString(36)}_${until.toString(36)}`
    moves.set(name, visible((times[from] ?? 0) / whole, (times[until] ?? 0) / whole))
    return name
  }
  const uses = staysIn(frames, rows).map((stay) => {
    const use = `<use href="#${nameOf(stay.row)}" y="${margin + stay.line * cell.height}"`
    if (stay.from === 0 && stay.until === frames.length) return `${use}/>`
    const isLast = stay.until === frames.length ? " l" : ""
    return `${use} class="f${isLast}" style="animation-name:${moveOf(stay)}"/>`
  })
  const symbols = [...names].map(([row, name]) => `<g id="${name}">${row}</g>`).join("\n")
  const keyframes = [...moves].map(([name, steps]) => `@keyframes ${name}{${steps}}`).join("\n")
  return picture(
    columns * cell.width + 2 * margin,
    rows * cell.height + 2 * margin,
    `<style>.f{visibility:hidden;animation:${(whole / 1000).toFixed(1)}s step-end infinite}
@media (prefers-reduced-motion:reduce){.f{animation:none!important}.l{visibility:visible}}
${keyframes}</style>
<defs>
${symbols}
</defs>
${uses.join("\n")}
`,
  )
}

function staysIn(frames: readonly Frame[], rows: number): readonly Stay[] {
  return Array.from({ length: rows }, (_, line) => line).flatMap((line) => {
    const stays: Stay[] = []
    for (const [at, frame] of frames.entries()) {
      const row = frame.rows[line] ?? ""
      const last = stays.at(-1)
      if (last?.row === row) stays[stays.length - 1] = { ...last, until: at + 1 }
      else stays.push({ row, line, from: at, until: at + 1 })
    }
    return stays.filter(({ row }) => row !== "")
  })
}

/** Visible from one moment to another, both as parts of the whole. */
function visible(start: number, end: number): string {
  const percent = (part: number): string => `${Number((part * 100).toFixed(2))}%`
  const hidden = start === 0 ? "" : "0%{visibility:hidden}"
  return `${hidden}${percent(start)}{visibility:visible}${percent(end)}{visibility:${end === 1 ? "visible" : "hidden"}}`
}

const placed = (row: string, top: number): string =>
  row === "" ? "" : `<g transform="translate(0 ${top})">${row}</g>\n`

function picture(width: number, height: number, body: string, { ground } = darkPaper): string {
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

function rowOf(terminal: Terminal, at: number, paper: Paper): string {
  return runsOf(terminal, at, paper)
    .map(({ from, width, text, look }) => {
      const x = leftOf(from)
      const length = (width * cell.width).toFixed(1)
      const behind = look.ground
        ? `<rect x="${x}" y="0" width="${length}" height="${cell.height}" fill="${look.ground}"/>`
        : ""
      const words = text.trim()
      if (words === "") return behind
      // Every space is a cell, so what was trimmed is known in cells.
      const begin = from + text.length - text.trimStart().length
      const cells = width - (text.length - words.length)
      const style = [
        `fill="${look.ink}"`,
        ...(look.bold ? ['font-weight="600"'] : []),
        ...(look.italic ? ['font-style="italic"'] : []),
        ...(look.underline ? ['text-decoration="underline"'] : []),
        ...(look.dim ? ['opacity="0.6"'] : []),
      ].join(" ")
      // The length is given, so that every font keeps the columns.
      return `${behind}<text x="${leftOf(begin)}" y="13" textLength="${(cells * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${style}>${escaped(words)}</text>`
    })
    .join("")
}

/** Neighbouring cells of the same look are one run; spaces at the ends of a run stay out of it. */
function runsOf(terminal: Terminal, at: number, paper: Paper): readonly Run[] {
  const line = terminal.buffer.active.getLine(at)
  const runs: Run[] = []
  for (let column = 0; line && column < terminal.cols; column++) {
    const one = line.getCell(column)
    if (!one || one.getWidth() === 0) continue
    const look = lookOf(one, paper)
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

function lookOf(one: IBufferCell, { ground, ink }: Paper): Look {
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

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const leftOf = (column: number): string => (margin + column * cell.width).toFixed(1)
