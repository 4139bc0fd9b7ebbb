/** A terminal without a window: it understands what a program writes as a real one would, and counts what it cost. */

import { type IBufferCell, type IBufferLine, type ITerminalOptions, Terminal } from "@xterm/headless"

export interface VirtualTerminal {
  readonly write: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** What is on the screen, without blanks at the ends of rows and without empty rows at the end. */
  readonly screen: () => Promise<string>
  /** The same with everything that has scrolled away. */
  readonly all: () => Promise<string>
  /** Everything, with the looks of each part before it: `{bold 32:text}`. */
  readonly styled: () => Promise<string>
  readonly cursor: () => Promise<{ readonly row: number; readonly column: number }>
  readonly columns: () => number
  readonly rows: () => number
  /** Bytes written, writes, and how often the whole screen was erased. */
  readonly cost: () => { readonly bytes: number; readonly writes: number; readonly clears: number }
  readonly raw: () => string
}

type Breaks = "all" | "all but the cursor's" | "none"

/** Terminals differ in which rows they break when they get narrower. */
const kinds: { readonly [kind in Breaks]: ITerminalOptions } = {
  all: { reflowCursorLine: true },
  "all but the cursor's": {},
  none: { windowsPty: { backend: "conpty", buildNumber: 19_000 } },
}

export function openVirtualTerminal(
  columns: number,
  rows: number,
  breaks: Breaks = "all but the cursor's",
): VirtualTerminal {
  const options = { cols: columns, rows, scrollback: 200_000, allowProposedApi: true, ...kinds[breaks] }
  const terminal = new Terminal(options)
  const written: string[] = []
  let bytes = 0
  let clears = 0
  let drained: Promise<void> = Promise.resolve()

  const text = async (from: "screen" | "all"): Promise<string> => {
    await drained
    const { active } = terminal.buffer
    const first = from === "screen" ? active.baseY : 0
    const lines: string[] = []
    for (let i = first; i < active.length; i++) lines.push(active.getLine(i)?.translateToString(true).trimEnd() ?? "")
    return lines.join("\n").trimEnd()
  }

  return {
    write(given) {
      written.push(given)
      bytes += Buffer.byteLength(given)
      // oxlint-disable-next-line no-control-regex -- sequences begin with a control character.
      clears += given.match(/\u001b\[[23]J|\u001bc|\u001b\[H\u001b\[J/g)?.length ?? 0
      drained = new Promise((resolve) => terminal.write(given, resolve))
    },
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    screen: () => text("screen"),
    all: () => text("all"),
    async styled() {
      await drained
      const { active } = terminal.buffer
      const lines: string[] = []
      for (let i = 0; i < active.length; i++) lines.push(styledLine(active.getLine(i)))
      return lines.join("\n").trimEnd()
    },
    async cursor() {
      await drained
      return { row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }
    },
    columns: () => terminal.cols,
    rows: () => terminal.rows,
    cost: () => ({ bytes, writes: written.length, clears }),
    raw: () => written.join(""),
  }
}

function styledLine(line: IBufferLine | undefined): string {
  let text = ""
  let open = ""
  for (let x = 0; x < (line?.length ?? 0); x++) {
    const cell = line?.getCell(x)
    if (!cell || cell.getWidth() === 0) continue
    const looks = looksOf(cell)
    if (looks !== open) text += `${open === "" ? "" : "}"}${looks === "" ? "" : `{${looks}:`}`
    open = looks
    text += cell.getChars() || " "
  }
  return `${text}${open === "" ? "" : "}"}`.trimEnd()
}

/** Colours by their numbers in the palette, the ground with a mark before it. */
function looksOf(cell: IBufferCell): string {
  return [
    ...(cell.isBold() ? ["bold"] : []),
    ...(cell.isDim() ? ["dim"] : []),
    ...(cell.isItalic() ? ["italic"] : []),
    ...(cell.isInverse() ? ["inverse"] : []),
    ...(cell.isUnderline() ? ["underline"] : []),
    ...(cell.isFgDefault() ? [] : [`${cell.getFgColor()}`]),
    ...(cell.isBgDefault() ? [] : [`on ${cell.getBgColor()}`]),
  ].join(" ")
}
