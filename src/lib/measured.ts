/** Figures of a process at one moment, as monitoring knows them. */

export interface Measured {
  readonly name: string
  readonly type: "counter" | "gauge" | "summary"
  readonly about: string
  readonly samples: readonly MeasuredSample[]
}

export interface MeasuredSample {
  readonly labels: { readonly [name: string]: string }
  readonly value: number
  /** Of a summary: which of its sums. */
  readonly sum?: "sum" | "count"
}
