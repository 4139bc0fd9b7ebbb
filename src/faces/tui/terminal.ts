/** The terminal as the face needs it. */

import type { Rewrap } from "./screen/breaking.ts"
import type { Size } from "./screen/screen.ts"

export interface Terminal {
  readonly write: (text: string) => void
  /** What stands above the window. */
  readonly setTitle: (title: string) => void
  readonly ring: () => void
  /** A word on the desktop, where the terminal passes it on. */
  readonly notify: (text: string) => void
  /** In the bar of the window or the task, where the terminal has one. */
  readonly setProgress: (state: "busy" | "none") => void
  /** Into the clipboard. */
  readonly copy: (text: string) => void
  /** Asks for the colour of the background; the answer, if any, comes as input. */
  readonly askBackground: () => void
  /** Takes the other screen, which has no scrollback, or gives it back with everything as it was. */
  readonly alternate: (on: boolean) => void
  /** Whether what was written is still on its way: then the next frame can wait. */
  readonly isBusy: () => boolean
  readonly size: () => Size
  readonly rewrap: Rewrap
  /** Takes the terminal over; the listener hears keys, changes of size, that it can take more, and that it is gone. */
  readonly open: (listener: TerminalListener) => void
  /** Gives it back as it was. */
  readonly close: () => void
  /** Gives it back, stops the process, and takes it over again when the process goes on. */
  readonly suspend: () => void
  /** Gives it to another program for as long as the work takes; the listener is told when it is back. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>
}

export interface TerminalListener {
  readonly onInput: (input: string) => void
  readonly onResize: () => void
  readonly onReady: () => void
  /** The process was stopped and goes on; others have written meanwhile. */
  readonly onResume: () => void
  readonly onEnd: () => void
}
