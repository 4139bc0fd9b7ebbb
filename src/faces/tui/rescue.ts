/** A mistake of ours must not leave the terminal so that nobody can use it. */

import type { Crash } from "./tui-run.ts"

export interface Rescue {
  /** Wraps work so that an exception ends the conversation. */
  readonly safely: <Args extends readonly unknown[]>(work: (...args: Args) => void) => (...args: Args) => void
  readonly fail: (error: unknown) => void
  readonly crash: () => Crash | undefined
}

/** `giveBack` stops drawing and restores the terminal; called once. */
export function openRescue(giveBack: () => void): Rescue {
  let crash: Crash | undefined
  function fail(error: unknown): void {
    if (crash) return
    crash = { error }
    giveBack()
  }
  return {
    fail,
    crash: () => crash,
    safely:
      (work) =>
      (...args) => {
        try {
          work(...args)
        } catch (error) {
          fail(error)
        }
      },
  }
}
