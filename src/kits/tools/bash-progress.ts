/** Reports every second what a running command has printed since the last report. */

import type { Progress } from "#agent/words/tool.ts"
import type { Clock } from "#lib/clock.ts"
import { readableOutput } from "#lib/readable-output.ts"

const everyMs = 1000
/** Of more output only the end is reported; the result has all of it. */
const mostBytes = 8192

export interface ProgressReport {
  readonly add: (chunk: Uint8Array) => void
  readonly stop: () => void
}

export function reportProgress(clock: Clock, onProgress: (progress: Progress) => void): ProgressReport {
  const startedAt = clock.now()
  const decoder = new TextDecoder()
  let fresh: Uint8Array[] = []
  let freshBytes = 0
  let totalBytes = 0
  let cancel = clock.after(everyMs, tick)

  function tick(): void {
    const recent = Buffer.concat(fresh)
    const output = readableOutput(decoder.decode(recent.subarray(-mostBytes), { stream: true }))
    fresh = []
    freshBytes = 0
    onProgress({ output, elapsedMs: clock.now() - startedAt, totalBytes })
    cancel = clock.after(everyMs, tick)
  }

  return {
    add(chunk) {
      totalBytes += chunk.length
      fresh.push(chunk.slice(-mostBytes))
      freshBytes += Math.min(chunk.length, mostBytes)
      while (freshBytes - (fresh[0]?.length ?? 0) >= mostBytes) freshBytes -= fresh.shift()?.length ?? 0
    },
    stop: () => cancel(),
  }
}
