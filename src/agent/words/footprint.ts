/** What a call will touch, said before it touches it. One declaration feeds concurrency, permission, plan mode, undo and the question shown. */

export interface Footprint {
  /** Absolute paths that are read (a folder means what is below it). */
  readonly reads: readonly string[]
  /** Absolute paths that are created, changed or removed. */
  readonly writes: readonly string[]
  /** Shell commands that run, as the model wrote them. */
  readonly runs: readonly string[]
  /** Addresses that are reached. */
  readonly reaches: readonly string[]
  /** Whether the call is itself a question to the person. */
  readonly asks: boolean
  /** Whether the call must run alone although it only reads. */
  readonly alone: boolean
  /**
   * Whether it does something that none of the lists can say, as a tool of a server may. `false` says that it is known to
   * do nothing of the kind.
   */
  readonly acts?: boolean
}

const nothing: Footprint = { reads: [], writes: [], runs: [], reaches: [], asks: false, alone: false }

export const touchesNothing = (): Footprint => nothing
export const reads = (...paths: string[]): Footprint => ({ ...nothing, reads: paths })
export const writes = (...paths: string[]): Footprint => ({ ...nothing, writes: paths })
export const runs = (command: string): Footprint => ({ ...nothing, runs: [command] })
export const reaches = (...urls: string[]): Footprint => ({ ...nothing, reaches: urls })

/** A call that only reads or reaches may run beside others like it. */
export function isSafe(footprint: Footprint): boolean {
  return isReadOnly(footprint) && !footprint.asks && !footprint.alone
}

export function isReadOnly(footprint: Footprint): boolean {
  return footprint.writes.length === 0 && footprint.runs.length === 0 && footprint.acts !== true
}
