/** The terminal as the face needs it. */

import type { Size } from "./screen/screen.ts"

export interface Terminal {
  readonly write: (text: string) => void
  /** What stands above the window. */
  readonly setTitle: (title: string) => void
  readonly ring: () => void
  /** Whether what was written is still on its way: then the next frame can wait. */
  readonly isBusy: () => boolean
  readonly size: () => Size
  /** Takes the terminal over; the listener hears keys, changes of size, that it can take more, and that it is gone. */
  readonly open: (listener: TerminalListener) => void
  /** Gives it back as it was. */
  readonly close: () => void
  /** Gives it back, stops the process, and takes it over again when the process goes on. */
  readonly suspend: () => void
}

export interface TerminalListener {
  readonly onInput: (input: string) => void
  readonly onResize: () => void
  readonly onReady: () => void
  /** The process was stopped and goes on; others have written meanwhile. */
  readonly onResume: () => void
  readonly onEnd: () => void
}
