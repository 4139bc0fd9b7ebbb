/** Uses the time until the model first answers to load what the first call needs. */

import type { Model } from "#agent/words/model.ts"
import type { Clock } from "#lib/clock.ts"

/** Models take longer than this to start an answer; shorter turns should not pay for calls they never make. */
const patienceMs = 20

export function meanwhile(
  model: Model,
  parts: { readonly clock: Clock; readonly load: () => Promise<unknown> },
): Model {
  let isFirst = true
  // Any failure comes up again with the first call.
  const load = (): void => void parts.load().catch(() => {})
  return {
    ...model,
    stream(request, signal) {
      const events = model.stream(request, signal)
      if (!isFirst) return events
      isFirst = false
      return untilFirst(events, () => parts.clock.after(patienceMs, load))
    },
  }
}

/** `wait` starts with the stream and ends with its first event. Later ones pass through untouched: there are thousands. */
const untilFirst = <Event>(events: AsyncIterable<Event>, wait: () => () => void): AsyncIterable<Event> => ({
  [Symbol.asyncIterator]() {
    const inner = events[Symbol.asyncIterator]()
    const stop = wait()
    let isFirst = true
    return {
      next() {
        if (!isFirst) return inner.next()
        isFirst = false
        return inner.next().finally(stop)
      },
      async return() {
        stop()
        await inner.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})
