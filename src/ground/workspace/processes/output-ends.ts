/** The beginning and the end of a stream in bounded memory, and what at its end is incomplete. */

export interface Ends {
  readonly add: (chunk: Uint8Array) => void
  /** Whether so many more bytes can be kept without losing any. */
  readonly hasRoomFor: (bytes: number) => boolean
  readonly isCut: () => boolean
  /** The first bytes: all there are, until some are lost. */
  readonly beginning: () => Buffer
  /** The last bytes, from the start of a character. */
  readonly ending: () => Buffer
}

/** Keeps twice `half` in full; beyond that, the first and the last `half`. */
export function openEnds(half: number): Ends {
  const capacity = half * 2
  let head = Buffer.alloc(0)
  let used = 0
  let tail: LastBytes | undefined

  function addToHead(part: Uint8Array): void {
    if (used + part.length > head.length) {
      const grown = Buffer.allocUnsafe(Math.min(capacity, Math.max(1024, head.length * 2, used + part.length)))
      grown.set(head.subarray(0, used))
      head = grown
    }
    head.set(part, used)
    used += part.length
  }

  return {
    add(chunk) {
      const room = capacity - used
      // Copied: a chunk may be a window on a buffer that is filled again.
      if (room > 0 && chunk.length > 0) addToHead(chunk.subarray(0, room))
      if (chunk.length <= room) return
      if (tail === undefined) {
        tail = lastBytes(half)
        tail.add(head.subarray(0, used))
      }
      tail.add(chunk.subarray(room))
    },
    hasRoomFor: (bytes) => used + bytes <= capacity,
    isCut: () => tail !== undefined,
    beginning: () => head.subarray(0, used),
    ending: () => tail?.bytes() ?? head.subarray(0, used),
  }
}

interface LastBytes {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => Buffer
}

function lastBytes(capacity: number): LastBytes {
  const ring = Buffer.allocUnsafe(capacity)
  let next = 0
  let isRound = false
  return {
    add(chunk) {
      const part = chunk.subarray(Math.max(0, chunk.length - capacity))
      const first = Math.min(part.length, capacity - next)
      ring.set(part.subarray(0, first), next)
      ring.set(part.subarray(first), 0)
      if (next + part.length >= capacity) isRound = true
      next = (next + part.length) % capacity
    },
    bytes() {
      const all = isRound ? Buffer.concat([ring.subarray(next), ring.subarray(0, next)]) : ring.subarray(0, next)
      // The first character may have lost its first bytes.
      let start = 0
      while (start < 3 && ((all[start] ?? 0) & 0xc0) === 0x80) start++
      return all.subarray(start)
    },
  }
}

/** No sequence that is held back is longer, so that a stray escape never holds back output forever. */
const longestSequence = 64

/** Bytes at the end that need those to come: part of a character, a terminal sequence or a line end. */
export function unfinishedEnd(bytes: Buffer): Uint8Array {
  const end = bytes.subarray(-longestSequence)
  const sequence = unfinishedSequence.exec(end.toString("latin1"))?.[0].length ?? 0
  const unfinishedLength = sequence === 0 ? unfinishedCharacter(end) : sequence
  return new Uint8Array(end.subarray(end.length - unfinishedLength))
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const unfinishedSequence = /(?:\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]*\u001b?|[ -/]*)|\r+)$/

function unfinishedCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? back : 0
  }
  return 0
}
