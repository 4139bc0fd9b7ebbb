/**
 * What a call will touch, declared before it runs. One declaration feeds concurrency, permissions, plan mode, undo
 * and the question shown.
 * See decision 41.
 */

export interface Footprint {
  /** Absolute paths (a folder means everything below it). */
  readonly reads: readonly string[]
  /** Absolute paths that are created, changed or removed. */
  readonly writes: readonly string[]
  /** Shell commands as the model wrote them, including those that only read. */
  readonly runs: readonly string[]
  readonly reaches: readonly string[]
  /** The call is itself a question to the user. */
  readonly asks: boolean
  /** Must run alone although it only reads. */
  readonly alone: boolean
  /** A third party's claim that it may run beside others: it only affects the order of calls, nothing else. */
  readonly beside?: true
  readonly effect: Effect
}

/**
 * The sum of the lists: `none` for nothing outside the session, `reads` when it certainly only reads, `acts` when it
 * may change what the lists name, `unknown` when it may do what the lists cannot express, such as a server's tool.
 */
export type Effect = "none" | "reads" | "acts" | "unknown"

const nothing: Footprint = {
  reads: [],
  writes: [],
  runs: [],
  reaches: [],
  asks: false,
  alone: false,
  effect: "none",
}

export const touchesNothing = (): Footprint => nothing
export const reads = (...paths: string[]): Footprint => ({ ...nothing, reads: paths, effect: "reads" })
export const writes = (...paths: string[]): Footprint => ({ ...nothing, writes: paths, effect: "acts" })
export const runs = (command: string): Footprint => ({ ...nothing, runs: [command], effect: "acts" })
/** A command that certainly only reads these paths. */
export const runsReading = (command: string, ...paths: string[]): Footprint => ({ ...reads(...paths), runs: [command] })
export const reaches = (...urls: string[]): Footprint => ({ ...nothing, reaches: urls, effect: "reads" })

/** A call that only reads or fetches may run beside others like it. */
export function isSafe(footprint: Footprint): boolean {
  const { beside, writes: written, asks, alone } = footprint
  return (isReadOnly(footprint) || (beside === true && written.length === 0)) && !asks && !alone
}

export function isReadOnly({ writes: written, effect }: Footprint): boolean {
  return written.length === 0 && (effect === "none" || effect === "reads")
}

/** Changes files that it names, and runs nothing. */
export const isEdit = ({ writes: written, runs: run }: Pick<Footprint, "writes" | "runs">): boolean =>
  written.length > 0 && run.length === 0

export function bothOf(one: Footprint, other: Footprint): Footprint {
  return {
    reads: union(one.reads, other.reads),
    writes: union(one.writes, other.writes),
    runs: union(one.runs, other.runs),
    reaches: union(one.reaches, other.reaches),
    asks: one.asks || other.asks,
    alone: one.alone || other.alone,
    ...(one.beside && other.beside && { beside: true }),
    effect: graver(one.effect, other.effect),
  }
}

const union = (some: readonly string[], more: readonly string[]): readonly string[] => [...new Set([...some, ...more])]

const byWeight: readonly Effect[] = ["none", "reads", "acts", "unknown"]
const graver = (one: Effect, other: Effect): Effect => (byWeight.indexOf(one) < byWeight.indexOf(other) ? other : one)

/** As stored in older logs: without the effect, and with `acts` for what none of the lists could express. */
export type RecordedFootprint = Omit<Footprint, "effect"> & { readonly effect?: Effect; readonly acts?: boolean }

export function readFootprint({ acts, ...recorded }: RecordedFootprint): Footprint {
  return { ...recorded, effect: recorded.effect ?? formerEffect(recorded, acts) }
}

function formerEffect(of: Omit<RecordedFootprint, "acts">, acts: boolean | undefined): Effect {
  if (acts) return "unknown"
  if (of.writes.length > 0 || of.runs.length > 0) return "acts"
  return of.reads.length > 0 || of.reaches.length > 0 || acts === false ? "reads" : "none"
}
