/** Uses the time until the model answers to load what the first call needs, once. */

import type { Model } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"

/** Models take longer than this to start an answer; shorter turns should not pay for calls they never make. */
const patienceMs = 20

export function meanwhile(
  model: Model,
  parts: { readonly clock: Clock; readonly load: () => Promise<unknown> },
): Model {
  let isLoading = false
  function load(): void {
    isLoading = true
    // Any failure comes up again with the first call.
    parts.load().catch(() => {})
  }
  return {
    ...model,
    async *stream(request, signal) {
      if (isLoading) return yield* model.stream(request, signal)
      const cancel = parts.clock.after(patienceMs, load)
      try {
        for await (const event of model.stream(request, signal)) {
          cancel()
          yield event
        }
      } finally {
        cancel()
      }
    },
  }
}
