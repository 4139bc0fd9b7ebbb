/** A question that every agent is asked in the same way: samples in rounds, and the rows of the table they come to. */

import type { Peer } from "./peer.ts"
import type { FieldPlace } from "./place.ts"

/** What one round found. `missing` stands for everything else where an agent lacks the feature. */
export interface Sample {
  readonly [name: string]: number | string
}

export interface Row {
  readonly what: string
  readonly cell: (samples: readonly Sample[]) => string
}

export interface Round {
  readonly peer: Peer
  readonly installed: string
  /** The same in all rounds of an agent on this axis, unless a fresh one is asked for. */
  readonly place: FieldPlace
  readonly fresh: () => FieldPlace
  readonly round: number
  /** How many steps a long session has. */
  readonly steps: number
}

export interface Axis {
  readonly id: string
  /** How it is measured, as a footnote of the table. */
  readonly how: string
  readonly rounds: number
  readonly sample: (round: Round) => Promise<readonly Sample[]>
  readonly rows: readonly Row[]
}

export const numbers = (samples: readonly Sample[], name: string): readonly number[] =>
  samples.flatMap((sample) => (typeof sample[name] === "number" ? [sample[name]] : []))

export const least = (samples: readonly Sample[], name: string): number => Math.min(...numbers(samples, name))

export const sum = (samples: readonly Sample[], name: string): number =>
  numbers(samples, name).reduce((total, value) => total + value, 0)
