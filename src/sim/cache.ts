/** A model of the provider's prompt cache: what a request reads from it, what it writes, and what it pays in full. */

import { tokensOf, type Segment } from "./measure.ts"

export interface CacheUse {
  readonly read: number
  readonly written: number
  /** The part of `written` that is kept for an hour. */
  readonly written1h: number
  readonly input: number
}

export interface PromptCache {
  readonly use: (segments: readonly Segment[], now: number) => CacheUse
  readonly clear: () => void
}

const minimumTokens = 1_024
/** A cache mark finds prefixes kept up to this many blocks before it. */
const lookback = 20
const sweepAbove = 10_000
const hour = 3_600_000

export function openPromptCache(): PromptCache {
  const kept = new Map<bigint, number>()

  return {
    use(segments, now) {
      if (kept.size > sweepAbove) for (const [hash, until] of kept) if (until <= now) kept.delete(hash)
      const marked = segments.flatMap(({ tokens, keepMs }, index) =>
        keepMs !== undefined && tokens >= minimumTokens ? [{ index, tokens, keepMs }] : [],
      )
      const total = tokensOf(segments)
      const last = marked.at(-1)
      if (last === undefined) return { read: 0, written: 0, written1h: 0, input: total }
      const read = findKept(segments, marked, (hash) => (kept.get(hash) ?? 0) > now)
      // Writing a mark that was read is what refreshes it.
      for (const { index, keepMs } of marked) keep(segments[index]?.hash, now + keepMs)
      const written = Math.max(0, last.tokens - read)
      return {
        read,
        written,
        written1h: last.keepMs === hour ? written : 0,
        input: total - Math.max(read, last.tokens),
      }
    },
    clear: () => kept.clear(),
  }

  function keep(hash: bigint | undefined, until: number): void {
    if (hash !== undefined) kept.set(hash, Math.max(until, kept.get(hash) ?? 0))
  }
}

/** Keeps nothing: every token is plain input. */
export const noPromptCache: PromptCache = {
  use: (segments) => ({ read: 0, written: 0, written1h: 0, input: tokensOf(segments) }),
  clear: () => {},
}

/** The longest kept prefix within reach of a mark. Searched backwards, so the first found is the longest. */
function findKept(
  segments: readonly Segment[],
  marked: readonly { readonly index: number }[],
  isKept: (hash: bigint) => boolean,
): number {
  for (const { index } of marked.toReversed())
    for (let at = index; at >= Math.max(0, index - lookback); at--) {
      const segment = segments[at]
      if (segment !== undefined && isKept(segment.hash)) return segment.tokens
    }
  return 0
}
