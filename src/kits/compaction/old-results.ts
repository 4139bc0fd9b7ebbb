/** Replaces old results with lines that name a file: often enough to save room, and when it costs least. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import type { Clock } from "#lib/clock.ts"
import type { Result } from "#lib/result.ts"
import { keptText, type OldResult, oldResults, stubWords, wonBy } from "./micro.ts"

export interface CachedWindow {
  readonly window: number
  /** How long the provider caches an unused prefix; absent if it does not cache. */
  readonly cacheKeptMs?: number
}

export interface OldResultsPorts {
  readonly messages: () => readonly Message[]
  readonly answeredAt: () => number | undefined
  /** Stores a result in a file, unless it is already there, and returns its path. */
  readonly keep: (callId: string, text: string) => Promise<Result<string, string>>
  readonly record: (body: EntryBody) => Entry | void
  readonly clock: Clock
}

/** By what share of the window the conversation must grow before old results are looked for again. */
const lookShare = 0.02

/** A promise only if there are any to replace. */
export function openOldResults(
  ports: OldResultsPorts,
): (of: CachedWindow, contextTokens: number, signal: AbortSignal) => Promise<void> | undefined {
  let lookedAt = 0
  return ({ window, cacheKeptMs = 0 }, contextTokens, signal) => {
    const answeredAt = ports.answeredAt()
    const isCold = answeredAt !== undefined && ports.clock.now() - answeredAt > cacheKeptMs
    // Scanning everything at each step would cost more with each step.
    if (!isCold && Math.abs(contextTokens - lookedAt) < window * lookShare) return undefined
    lookedAt = contextTokens
    const old = oldResults({ messages: ports.messages(), contextTokens, window, isCold })
    return old.length === 0 ? undefined : replace(old, signal)
  }

  async function replace(old: readonly OldResult[], signal: AbortSignal): Promise<void> {
    const texts = await Promise.all(
      old.map(async (result) => {
        const kept = await ports.keep(result.use.id, keptText(result.result.content))
        return stubWords(result, kept.ok ? kept.value : undefined)
      }),
    )
    if (signal.aborted) return
    const stubs = old.map(({ use }, index) => ({ callId: use.id, text: texts[index] ?? "" }))
    ports.record({ kind: "stub", stubs, wonTokens: wonBy(old, texts) })
  }
}
