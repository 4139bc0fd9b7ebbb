/** A child's output as streams, and reading several in parallel. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import type { Pipe } from "./pipes.ts"

/** A busy machine may let the time for output pass before what was printed has been read. */
export const unreadMs = 20

/** One when it writes to a pipe of ours, otherwise its output and its errors. */
export function streamsOf(child: Bun.Subprocess, pipe: Pipe | undefined): ReadableStream<Uint8Array>[] {
  if (pipe) return [Bun.file(pipe.readEnd).stream()]
  return [child.stdout, child.stderr].filter((stream) => stream instanceof ReadableStream)
}

export interface StreamReading {
  readonly ended: Promise<unknown>
  readonly cancel: () => Promise<void>
}

export function readAll(
  streams: readonly ReadableStream<Uint8Array>[],
  onChunk: (chunk: Uint8Array) => void,
): StreamReading {
  let isCancelled = false
  const readers = streams.map((stream) => stream.getReader())
  const ended = Promise.all(
    readers.map(async (reader) => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || isCancelled) return
        onChunk(value)
      }
    }),
  )
  return {
    ended,
    async cancel() {
      isCancelled = true
      await Promise.all(readers.map((reader) => reader.cancel()))
    },
  }
}

/** Whether it ends in this time. */
export async function endsWithin(clock: Clock, ended: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = deferred<"late">()
  const cancel = clock.after(ms, () => patience.resolve("late"))
  const first = await Promise.race([ended, patience.promise])
  cancel()
  return first !== "late"
}
