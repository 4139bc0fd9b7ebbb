/** What is configured: which signals go where, under which names, with which contents. */

import type { Contents } from "./span.ts"
import type { Signal } from "./otlp.ts"

export const exporters = ["otlp", "file", "console", "none"] as const
export type Exporter = (typeof exporters)[number]

export interface TelemetryChoice {
  readonly exporters: { readonly [S in Signal]: readonly Exporter[] }
  /** For `otlp`. */
  readonly endpoints: { readonly [S in Signal]: string }
  readonly headers: { readonly [S in Signal]: { readonly [name: string]: string } }
  readonly compression: "gzip" | "none"
  readonly timeoutMs: number
  /** For `file`; beside the sessions when absent. */
  readonly file?: string
  readonly names: "codewright" | "claude_code"
  readonly contents: Contents
  readonly isDelta: boolean
  readonly metricsMs: number
  readonly logsMs: number
  readonly tracesMs: number
  readonly queue: { readonly most: number; readonly batch: number }
  /** From 0 to 1: the share of traces that are sent. */
  readonly share: number
  readonly resource: { readonly [name: string]: string }
  readonly sessionInMetrics: boolean
}
