/** One attempt at a request over the Messages API. */

import type { Request } from "#agent/words/model.ts"
import type { AnswerEvent, AttemptFailure } from "#ground/models/attempt.ts"
import { openCredential, type KeySource } from "#ground/models/credential.ts"
import type { Voice } from "#ground/models/failure.ts"
import { networkWords } from "#ground/models/network-words.ts"
import { eventsIn, type RawEvent } from "#ground/models/server-sent-events.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import { openWatch, type StreamWatch } from "#ground/models/watch.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openDecoder } from "./decode.ts"
import {
  abortedFailure,
  cutOff,
  errorFailure,
  keyFailure,
  unsentFailure,
  unusableFailure,
  type Shown,
} from "./failures.ts"
import { headersFor } from "./headers.ts"
import { type Dialect, type Encoded, openRequestEncoder } from "./request.ts"
import { eventsOf } from "./whole.ts"
import type { Taken } from "./taken.ts"
import type { MessagesWire } from "./wire.ts"

export interface MessagesAddress extends KeySource {
  readonly baseUrl: string
  /** Sent with every request, overriding ours with the same names. */
  readonly headers?: { readonly [name: string]: string }
  readonly voice: Voice
}

/** Starts loading the client, so that it is ready by the time of the first request. */
export function openMessages(
  address: MessagesAddress,
  dialect: Dialect,
  { limits, clock, toolIds, messageIds }: PortParts,
): ProviderPort {
  const { voice } = address
  const loading = loadWire(address.baseUrl)
  const credential = openCredential(address, clock)
  const encoder = openRequestEncoder(dialect, toolIds.note)
  const watches = new Set<StreamWatch>()
  let closed = false

  async function* attempt(request: Request, signal: AbortSignal): AsyncGenerator<AnswerEvent | AttemptFailure> {
    const watch = openWatch(clock, signal)
    watches.add(watch)
    const searching = request.serverTools?.length ? "with_search" : "plain"
    const decoder = openDecoder({ by: dialect.name, toolIds, messageIds, searching })
    const out: AnswerEvent[] = []
    let taken: Taken = { kind: "more" }
    let response: Response | undefined
    let shown: Shown = "nothing"
    let pieces: AsyncIterator<readonly RawEvent[]> | undefined
    let encoded: Encoded | undefined
    try {
      if (closed) return yield abortedFailure
      const key = await credential.headers(signal)
      if (!key.ok) return yield keyFailure(key.failure)
      const wire = await loading
      if (!wire.ok) return yield unusableFailure(wire.failure)
      encoded = encoder.encode(request)
      const headers = headersFor(encoded.betas, key.value, address.headers ?? {})

      const whole = request.delivery === "whole"
      watch.listen(whole ? limits.wholeMs : limits.firstByteMs)
      const sent = await wire.value.send(encoded.body, headers, watch.signal)
      watch.heard()
      if (!sent.ok) return yield unsentFailure(sent.failure, watch, voice, clock.now())
      response = sent.value

      const expected = whole ? "application/json" : "text/event-stream"
      const type = response.headers.get("content-type") ?? "no content type"
      if (!type.toLowerCase().includes(expected))
        return yield cutOff(
          shown,
          "server",
          voice,
          `it answered with ${type} instead of ${expected}; check the base URL`,
        )

      if (whole) {
        watch.listen(limits.wholeMs)
        const answer = eventsOf(await response.text())
        watch.heard()
        for (const event of answer) {
          taken = decoder.takeObject(event, out)
          if (taken.kind !== "more") break
        }
        // Nothing was emitted yet, so a garbled answer leaves no trace.
        if (taken.kind === "end") yield* out
      } else {
        if (response.body) pieces = eventsIn(response.body)
        while (pieces && taken.kind === "more") {
          watch.listen(limits.silenceMs)
          const next = await pieces.next()
          watch.heard()
          if (next.done) break
          for (const { event, data } of next.value) {
            // After an interrupt the rest is not wanted.
            if (signal.aborted) return yield abortedFailure
            taken = decoder.take(event, data, out)
            if (out.length > 0) shown = "content"
            for (const each of out) yield each
            out.length = 0
            if (taken.kind !== "more") break
          }
        }
      }
      if (taken.kind === "more") yield cutOff(shown, "server", voice, "it ended before the answer was whole")
      if (taken.kind === "garbled") yield cutOff(shown, "server", voice, taken.why)
      if (taken.kind === "refused") yield errorFailure(shown, taken, voice, clock.now())
    } catch (error) {
      if (signal.aborted || closed) yield abortedFailure
      else if (!response) yield unusableFailure(networkWords(error))
      else yield cutOff(shown, "unreachable", voice, stalled(watch) ?? networkWords(error))
    } finally {
      if (taken.kind === "end") {
        // A whole answer means that the request was read to its end; after anything else it may still be on its way.
        encoded?.release()
        void drain(watch, pieces)
      } else {
        watch.cancel()
        watches.delete(watch)
      }
    }
  }

  /** Reads the rest of a complete answer, so that its connection can be reused. Not awaited. */
  async function drain(watch: StreamWatch, pieces: AsyncIterator<unknown> | undefined): Promise<void> {
    watch.listen(limits.drainMs)
    try {
      while (pieces && !(await pieces.next()).done);
    } catch {
      // The answer is whole; how its connection ends is no longer of interest.
    }
    watch.stop()
    watches.delete(watch)
  }

  return {
    attempt,
    ...(credential.refresh && { refreshKey: credential.refresh }),
    close() {
      closed = true
      for (const watch of watches) watch.cancel()
    },
  }
}

async function loadWire(baseUrl: string): Promise<Result<MessagesWire, string>> {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    return failed(`the base URL is not an address: ${baseUrl}`)
  try {
    const { openWire } = await import("./wire.ts")
    return ok(openWire(baseUrl))
  } catch (error) {
    return failed(networkWords(error))
  }
}

function stalled(watch: StreamWatch): string | undefined {
  const limit = watch.ranOut()
  return limit === undefined ? undefined : `nothing was heard for ${Math.round(limit / 1000)} s`
}
