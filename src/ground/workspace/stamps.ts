/** What was read of which file, and in which state it was: the cache behind read-before-edit and change detection. */

import { type Identity, isSameState, wasSettled } from "./identity.ts"

/** A requested range of lines: without `limit` as many as fit. */
export interface LineRange {
  readonly offset: number
  readonly limit: number | undefined
  /** Pages instead of lines, for files that have them. */
  readonly pages?: string | undefined
}

export interface FileStamp {
  readonly identity: Identity
  /** A hash of all bytes; absent for files too large to load, where the identity alone must do. */
  readonly hash: bigint | undefined
  /** The whole text, unless the file is not text or too large to keep. */
  readonly text: string | undefined
  /** What the model was last shown; absent after a change of our own, which showed it nothing. */
  readonly shown: LineRange | undefined
  /** When it was read, in milliseconds since the epoch. */
  readonly at: number
}

export interface Stamps {
  readonly get: (real: string) => FileStamp | undefined
  /** Does not count as a use of the file. */
  readonly peek: (real: string) => FileStamp | undefined
  /** A moment, for `putSince`. */
  readonly mark: () => number
  readonly putSince: (mark: number, real: string) => FileStamp | undefined
  readonly put: (real: string, stamp: FileStamp) => void
  /** Replaces an existing stamp, without counting as a use of the file. */
  readonly renew: (real: string, stamp: FileStamp) => void
  readonly forget: (real: string) => void
  /** Another conversation begins: it has read nothing. */
  readonly forgetAll: () => void
  /** The conversation no longer contains what was shown (after a compaction): ranges are shown again when asked for. */
  readonly forgetShown: () => void
  /** Every file on record, least recently used first. */
  readonly entries: () => readonly (readonly [string, FileStamp])[]
  /** Their paths, in the same order. */
  readonly paths: () => readonly string[]
}

export interface StampLimits {
  readonly entries: number
  readonly bytes: number
}

const defaultLimits: StampLimits = { entries: 100, bytes: 25_000_000 }

export function openStamps(limits: StampLimits = defaultLimits): Stamps {
  // A Map keeps the order of insertion, so putting an entry back makes it the most recently used.
  const stamps = new Map<string, FileStamp>()
  /** When each was put, counted in puts. */
  const puts = new Map<string, number>()
  let count = 0
  let bytes = 0

  function remove(real: string): FileStamp | undefined {
    const stamp = stamps.get(real)
    if (stamp === undefined) return undefined
    stamps.delete(real)
    bytes -= weight(stamp)
    return stamp
  }

  function add(real: string, stamp: FileStamp): void {
    stamps.set(real, stamp)
    bytes += weight(stamp)
  }

  function evict(): void {
    for (const oldest of stamps.keys()) {
      if (stamps.size <= limits.entries && bytes <= limits.bytes) break
      remove(oldest)
      puts.delete(oldest)
    }
  }

  /** Text that would evict everything else is not kept; its hash still tells whether it changed. */
  const bearable = (stamp: FileStamp): FileStamp =>
    weight(stamp) > limits.bytes ? { ...stamp, text: undefined } : stamp

  return {
    get(real) {
      const stamp = remove(real)
      if (stamp !== undefined) add(real, stamp)
      return stamp
    },
    peek: (real) => stamps.get(real),
    mark: () => count,
    putSince: (mark, real) => ((puts.get(real) ?? 0) > mark ? stamps.get(real) : undefined),
    put(real, stamp) {
      remove(real)
      puts.set(real, ++count)
      add(real, bearable(stamp))
      evict()
    },
    renew(real, stamp) {
      const old = stamps.get(real)
      if (old === undefined) return
      const kept = bearable(stamp)
      bytes += weight(kept) - weight(old)
      stamps.set(real, kept)
      evict()
    },
    forget(real) {
      remove(real)
    },
    forgetAll() {
      stamps.clear()
      puts.clear()
      bytes = 0
    },
    forgetShown() {
      for (const [real, stamp] of stamps) stamps.set(real, { ...stamp, shown: undefined })
    },
    entries: () => [...stamps],
    paths: () => [...stamps.keys()],
  }
}

/** Whether the file is certainly unchanged, without reading it. */
export function isSurelyUnchanged(stamp: FileStamp, now: Identity): boolean {
  return isTelling(stamp) && isSameState(stamp.identity, now)
}

/** Whether its state identifies its content: a file in that state is certainly unchanged. */
export const isTelling = (stamp: FileStamp): boolean => wasSettled(stamp.identity, stamp.at)

const weight = ({ text, identity }: FileStamp): number => (text === undefined ? 0 : identity.bytes)
