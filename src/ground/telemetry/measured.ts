/** Sends the figures of a server to a collector, as OTLP. */

import { encodeRequest, nanoseconds, attributesOf, openEncoder, type Encoder } from "./otlp.ts"
import type { Attributes } from "./span.ts"

/** Of a process, at one moment. */
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

export interface Measurement {
  readonly all: readonly Measured[]
  readonly startedAt: number
  readonly at: number
}

/** One request. A summary is two sums, as it is in the text format of Prometheus. */
export function measuredRequest(resource: Attributes, { all, startedAt, at }: Measurement): string {
  const encoder = openEncoder()
  const items = all.flatMap(({ name, type, about, samples }) =>
    [...Map.groupBy(samples, ({ sum }) => (sum === undefined ? name : `${name}_${sum}`))].map(([full, own]) => {
      const points = own.map((sample) => encodePoint(sample, type === "gauge" ? at : startedAt, at, encoder)).join(",")
      const data =
        type === "gauge"
          ? `"gauge":{"dataPoints":[${points}]}`
          : `"sum":{"dataPoints":[${points}],"aggregationTemporality":2,"isMonotonic":true}`
      return `{"name":"${full}","description":${JSON.stringify(about)},${data}}`
    }),
  )
  return encodeRequest("metrics", resource, items, encoder)
}

function encodePoint({ labels, value }: MeasuredSample, start: number, at: number, encoder: Encoder): string {
  const number = Number.isInteger(value) ? `"asInt":"${value}"` : `"asDouble":${value}`
  return `{"attributes":[${attributesOf(labels, encoder)}],"startTimeUnixNano":"${nanoseconds(start)}","timeUnixNano":"${nanoseconds(at)}",${number}}`
}
