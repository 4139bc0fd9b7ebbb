/** A terminal for a face, over a virtual one: what it is told besides frames is written down, and a test types in it. */

import type { Terminal, TerminalListener } from "#faces/tui/terminal.ts"
import { openVirtualTerminal, type VirtualTerminal } from "../../kit/virtual-terminal.ts"
import { tick } from "./paper-clock.ts"

export interface PaperTerminal {
  readonly terminal: Terminal
  readonly virtual: VirtualTerminal
  /** What the terminal was told besides the frames. */
  readonly signals: string[]
  readonly titles: string[]
  readonly isOpen: () => boolean
  /** The terminal goes away. */
  readonly end: () => void
  readonly type: (keys: string) => Promise<void>
  readonly resize: (columns: number, rows: number) => Promise<void>
}

export function openPaperTerminal(columns: number, rows: number): PaperTerminal {
  const virtual = openVirtualTerminal(columns, rows)
  const signals: string[] = []
  const titles: string[] = []
  let listener: TerminalListener | undefined
  let hasMouse = false
  return {
    virtual,
    signals,
    titles,
    isOpen: () => listener !== undefined,
    end: () => listener?.onEnd(),
    terminal: {
      write: virtual.write,
      setTitle: (title) => void titles.push(title),
      ring: () => void signals.push("bell"),
      notify: (text) => void signals.push(`notify ${text}`),
      setProgress: (state) => void signals.push(`progress ${state}`),
      copy: (text) => void signals.push(`copy ${text}`),
      askBackground: () => void signals.push("background?"),
      alternate: (on) => virtual.write(on ? "\u001b[?1049h" : "\u001b[?1049l"),
      mouse(on) {
        if (on !== hasMouse) signals.push(`mouse ${on ? "on" : "off"}`)
        hasMouse = on
      },
      isBusy: () => false,
      rewrap: "all but the cursor's",
      size: () => ({ columns: virtual.columns(), rows: virtual.rows() }),
      open: (given) => void (listener = given),
      close: () => void (listener = undefined),
      suspend: () => void signals.push("suspend"),
      async lend(work) {
        signals.push("lent")
        const done = await work()
        signals.push("back")
        virtual.write("\r\u001b[J")
        listener?.onResume()
        return done
      },
    },
    async type(keys) {
      listener?.onInput(keys)
      await tick()
    },
    async resize(newColumns, newRows) {
      await virtual.screen()
      virtual.resize(newColumns, newRows)
      listener?.onResize()
      await tick()
    },
  }
}
