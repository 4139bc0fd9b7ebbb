/** Reads a stream to its end and keeps its beginning, however much arrives. */

import { deferred } from "#lib/deferred.ts"

export interface Collected {
  readonly ended: Promise<void>
  /** The first line, as soon as it is complete; undefined when the stream ends or is full before. */
  readonly firstLine: Promise<string | undefined>
  readonly bytes: () => Uint8Array
  readonly isCut: () => boolean
  readonly cancel: () => Promise<void>
}

const lineEnd = 10

/** `onPart` is called with each part that is kept. */
export function collectBytes(
  stream: ReadableStream<Uint8Array>,
  most: number,
  onPart: (bytes: Uint8Array) => void = () => {},
): Collected {
  const reader = stream.getReader()
  const parts: Uint8Array[] = []
  const line = deferred<string | undefined>()
  let total = 0
  let isCut = false
  let hasLine = false

  function addChunk(chunk: Uint8Array): void {
    const room = most - total
    if (chunk.length > room) isCut = true
    if (room <= 0) return
    const kept = chunk.length > room ? chunk.slice(0, room) : chunk
    parts.push(kept)
    total += kept.length
    onPart(kept)
    if (hasLine || !kept.includes(lineEnd)) return
    hasLine = true
    const all = Buffer.concat(parts)
    line.resolve(all.subarray(0, all.indexOf(lineEnd)).toString("utf8"))
  }

  async function read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        addChunk(value)
      }
    } catch {
      // A pipe that breaks has told all that it will tell.
    }
    line.resolve(undefined)
  }

  return {
    ended: read(),
    firstLine: line.promise,
    bytes: () => Buffer.concat(parts),
    isCut: () => isCut,
    async cancel() {
      await reader.cancel().catch(() => {})
      line.resolve(undefined)
    },
  }
}
