/** The terminal as the face needs it. */

import type { Rewrap } from "./screen/breaking.ts"
import type { Size } from "./screen/screen.ts"

export interface Terminal {
  readonly write: (text: string) => void
  readonly setTitle: (title: string) => void
  readonly ring: () => void
  /** A desktop notification, if the terminal supports it. */
  readonly notify: (text: string) => void
  /** In the window's or task bar, if the terminal supports it. */
  readonly setProgress: (state: "busy" | "none") => void
  readonly copy: (text: string) => void
  /** The answer, if any, arrives as input. */
  readonly askBackground: () => void
  /** Switches to the alternate screen, which has no scrollback, or back. */
  readonly alternate: (on: boolean) => void
  /** Whether clicks and the wheel arrive as input; otherwise they are the terminal's own. */
  readonly mouse: (on: boolean) => void
  /** Whether earlier output is still being written: then the next frame can wait. */
  readonly isBusy: () => boolean
  readonly size: () => Size
  readonly rewrap: Rewrap
  /** Not only the 256 of a fixed table. */
  readonly showsAnyColour?: boolean
  readonly open: (listener: TerminalListener) => void
  readonly close: () => void
  /** Restores the terminal, stops the process, and takes over again when it continues. */
  readonly suspend: () => void
  /** Hands the terminal to another program while `work` runs; the listener is told when it is back. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>
}

export interface TerminalListener {
  readonly onInput: (input: string) => void
  readonly onResize: () => void
  readonly onReady: () => void
  /** The process was stopped and continues; others have written meanwhile. */
  readonly onResume: () => void
  readonly onEnd: () => void
}
