/** What happens in a session, as a stream that a client continues where it was cut off. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import type { FleetStore } from "#fleet/store.ts"

/** Proxies and browsers drop a connection that stays silent. */
const silenceMs = 15_000
const page = 200

export function eventStream(parts: {
  readonly store: FleetStore
  readonly sessionId: string
  readonly after: number
  readonly clock: Clock
  readonly signal: AbortSignal
}): ReadableStream<Uint8Array> {
  const { store, sessionId, clock } = parts
  const encoder = new TextEncoder()
  const ending = new AbortController()
  const signal = AbortSignal.any([parts.signal, ending.signal])
  let at = parts.after
  let news = deferred<"news">()
  const end = store.watch((which) => {
    if (which === undefined || which === sessionId) news.resolve("news")
  })
  signal.addEventListener("abort", () => {
    end()
    news.resolve("news")
  })

  async function nextNews(): Promise<"news" | "silence"> {
    const sleeping = new AbortController()
    const first = await Promise.race([
      news.promise,
      clock.sleep(silenceMs, sleeping.signal).then(() => "silence" as const),
    ])
    sleeping.abort()
    return first
  }

  return new ReadableStream({
    // So that the client knows at once that it is connected.
    start: (controller) => controller.enqueue(encoder.encode(": connected\n\n")),
    // Called when there is room, so a client that does not read holds nothing up and fills nothing.
    async pull(controller) {
      while (!signal.aborted) {
        news = deferred<"news">()
        const events = await store.lines.events(sessionId, at, page)
        if (events.length > 0) {
          at = events.at(-1)?.seq ?? at
          const text = events.map(({ seq, type, data }) => `id: ${seq}\nevent: ${type}\n${dataLines(data)}\n\n`)
          return controller.enqueue(encoder.encode(text.join("")))
        }
        if ((await nextNews()) === "silence") return controller.enqueue(encoder.encode(": still here\n\n"))
      }
    },
    cancel: () => ending.abort(),
  })
}

/** Each line of its own, so that nothing in the text can end the event early. */
const dataLines = (data: string): string =>
  data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}`)
    .join("\n")
