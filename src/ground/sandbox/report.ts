/** What a confined program tried and could not do, as recorded by the watcher inside. */

import { readFileSync } from "node:fs"
import type { Violation } from "#agent/words/confinement.ts"
import { isObject } from "#lib/json.ts"

export interface Report {
  /** Whether the program was started at all; otherwise the sandbox failed. */
  readonly started: boolean
  readonly violations: readonly Violation[]
}

/** `from` is an offset in the file. */
export function readReport(file: string, from = 0): Report {
  let text = ""
  try {
    text = readFileSync(file).subarray(from).toString()
  } catch {
    // It was never written.
  }
  const lines = [...new Set(text.split("\n"))].map(decoded)
  return {
    started: lines.includes("started"),
    violations: lines.filter((line) => line !== undefined && line !== "started"),
  }
}

function decoded(line: string): Violation | "started" | undefined {
  const value = parsed(line)
  if (!isObject(value)) return undefined
  const { kind, path, host, port, of } = value
  if (kind === "started") return "started"
  if (kind === "write" && typeof path === "string") return { kind, path }
  if (kind === "socket") return { kind, ...(typeof path === "string" && { path }) }
  if (kind === "host" && typeof host === "string") return { kind, host, ...(typeof port === "number" && { port }) }
  if (kind === "limit" && (of === "processes" || of === "memory")) return { kind, of }
  return undefined
}

function parsed(line: string): unknown {
  try {
    return line === "" ? undefined : JSON.parse(line)
  } catch {
    // The last line may be cut off where the program was killed.
    return undefined
  }
}
