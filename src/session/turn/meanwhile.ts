/** Uses the time in which the model lets itself be waited for: what the first call needs is loaded then, once. */

import type { Model } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"

/** Models take longer than this to begin an answer; what is over sooner should not pay for calls that it never makes. */
const patienceMs = 20

export function meanwhile(
  model: Model,
  parts: { readonly clock: Clock; readonly load: () => Promise<unknown> },
): Model {
  let isLoading = false
  function load(): void {
    isLoading = true
    // Whatever goes wrong with it comes up again with the first call.
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
