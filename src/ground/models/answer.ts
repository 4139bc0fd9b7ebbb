/** One answer, event by event. Not a generator: there are thousands of events, and each would wait for it. */

import type { Request } from "#agent/words/model.ts"
import type { AnswerEvent, AttemptFailure } from "./attempt.ts"
import type { Voice } from "./failure.ts"
import { joined } from "./joined.ts"
import { networkWords } from "./network-words.ts"
import type { PortParts } from "./provider.ts"
import type { StreamWatch, WatchLimits } from "./watch.ts"
import type { Clock } from "#lib/clock.ts"
import type { Result } from "#lib/result.ts"
import { abortedFailure, cutOff, errorFailure, type Shown, unusableFailure } from "./attempt-failures.ts"
import type { Decoder, DecodeStatus } from "./format.ts"
import { type Framing, type RawEvent, serverSentEvents } from "./server-sent-events.ts"

export type AttemptEvent = AnswerEvent | AttemptFailure

export interface AnswerParts {
  readonly send: () => Promise<Result<Response, AttemptFailure>>
  readonly decoder: Decoder
  readonly framings: readonly Framing[] | undefined
  readonly delivery: Request["delivery"]
  readonly pieces: PortParts["pieces"]
  readonly watch: StreamWatch
  readonly limits: WatchLimits
  readonly signal: AbortSignal
  readonly isClosed: () => boolean
  readonly voice: Voice
  readonly clock: Clock
  /** Nobody reads on. After a whole answer its stream may still be read to the end. */
  readonly onEnd: (how: "whole" | "broken", pieces: Pieces | undefined) => void
}

export type Pieces = AsyncIterator<readonly RawEvent[]>

/** Sends a request, and reads what comes back. */
export function openAnswer(parts: AnswerParts): AsyncIterator<AttemptEvent> {
  const { signal, onEnd } = parts
  const reading = openReading(parts)
  let batch: readonly AttemptEvent[] = []
  let at = 0
  let stage: "going" | "last" | "over" = "going"

  function end(): IteratorResult<AttemptEvent, undefined> {
    if (stage !== "over") onEnd(reading.isWhole() ? "whole" : "broken", reading.pieces())
    stage = "over"
    return { done: true, value: undefined }
  }

  async function refill(): Promise<IteratorResult<AttemptEvent, undefined>> {
    if (stage !== "going") return end()
    // After an interrupt the rest is not wanted.
    const isInterrupted = at < batch.length
    if (isInterrupted) reading.giveUp()
    batch = isInterrupted ? [abortedFailure] : await reading.more()
    if (batch.length === 0 || batch[0]?.type === "failed") stage = "last"
    at = 1
    return batch[0] ? { done: false, value: batch[0] } : end()
  }

  return {
    next() {
      const value = batch[at]
      if (value === undefined || (signal.aborted && stage === "going")) return refill()
      at++
      return Promise.resolve({ done: false, value })
    },
    return: async () => end(),
  }
}

interface Reading {
  /** Events, then nothing; or how it failed. */
  readonly more: () => Promise<readonly AttemptEvent[]>
  readonly giveUp: () => void
  readonly isWhole: () => boolean
  readonly pieces: () => Pieces | undefined
}

function openReading(parts: AnswerParts): Reading {
  const { send, decoder, watch, limits, signal, isClosed, voice, clock } = parts
  const inOne = parts.delivery === "whole"
  let status: DecodeStatus = { kind: "more" }
  let shown: Shown = "nothing"
  let response: Response | undefined
  let pieces: Pieces | undefined

  async function begin(): Promise<AttemptFailure | undefined> {
    const sent = await send()
    if (!sent.ok) return sent.failure
    response = sent.value
    const type = response.headers.get("content-type") ?? "no content type"
    const isOf = (expected: string): boolean => type.toLowerCase().includes(expected)
    const framings = parts.framings ?? [serverSentEvents]
    const framing = framings.find((each) => isOf(each.type))
    if (inOne ? !isOf("application/json") : !framing) {
      const expected = inOne ? "application/json" : framings[0]?.type
      const why = `it answered with ${type} instead of ${expected}; check the base URL`
      return cutOff(shown, "server", voice, why)
    }
    if (!inOne && framing && response.body) pieces = framing.events(response.body)
    return undefined
  }

  /** Nothing of it was told yet, so a garbled answer leaves no trace. */
  async function readAll(answer: Response): Promise<readonly AnswerEvent[]> {
    watch.listen(limits.wholeMs)
    const text = await answer.text()
    watch.received()
    const out: AnswerEvent[] = []
    status = decoder.decodeWhole(text, out)
    return status.kind === "end" ? out : []
  }

  /** Until there is something to tell, or the stream ends. */
  async function readOn(from: Pieces): Promise<readonly AnswerEvent[]> {
    const out: AnswerEvent[] = []
    while (out.length === 0 && status.kind === "more") {
      watch.listen(limits.silenceMs)
      const next = await from.next()
      watch.received()
      if (signal.aborted) return out
      if (next.done) {
        status = decoder.ended?.(out) ?? status
        break
      }
      status = decodeAll(decoder, next.value, out)
    }
    if (out.length > 0) shown = "content"
    return parts.pieces === "joined" ? joined(out) : out
  }

  function ended(): readonly AttemptEvent[] {
    switch (status.kind) {
      case "more":
        return [
          signal.aborted ? abortedFailure : cutOff(shown, "server", voice, "it ended before the answer was whole"),
        ]
      case "garbled":
        return [cutOff(shown, "server", voice, status.why)]
      case "refused":
        return [errorFailure(shown, status, voice, clock.now())]
      case "end":
        return []
    }
  }

  function thrown(error: unknown): AttemptFailure {
    if (signal.aborted || isClosed()) return abortedFailure
    if (!response) return unusableFailure(networkWords(error))
    return cutOff(shown, "unreachable", voice, stalled(watch) ?? networkWords(error))
  }

  async function more(): Promise<readonly AttemptEvent[]> {
    try {
      const failure = response ? undefined : await begin()
      if (failure) return [failure]
      const isOpen = status.kind === "more"
      const events =
        isOpen && pieces ? await readOn(pieces) : isOpen && inOne && response ? await readAll(response) : []
      return events.length > 0 ? withRequest(events, response) : ended()
    } catch (error) {
      return [thrown(error)]
    }
  }

  return {
    more,
    giveUp: () => void (status = { kind: "more" }),
    isWhole: () => status.kind === "end",
    pieces: () => pieces,
  }
}

/** The beginning of an answer, which comes before all else, says which request it answers. */
function withRequest(events: readonly AnswerEvent[], response: Response | undefined): readonly AnswerEvent[] {
  const [start] = events
  if (start?.type !== "message_start") return events
  const names = ["request-id", "x-request-id", "x-amzn-requestid"]
  const requestId = names.map((name) => response?.headers.get(name)).find((value) => value)
  return requestId ? [{ ...start, requestId }, ...events.slice(1)] : events
}

function decodeAll(decoder: Decoder, events: readonly RawEvent[], out: AnswerEvent[]): DecodeStatus {
  for (const { event, data } of events) {
    const status = decoder.decodeEvent(event, data, out)
    if (status.kind !== "more") return status
  }
  return { kind: "more" }
}

function stalled(watch: StreamWatch): string | undefined {
  const limit = watch.ranOut()
  return limit === undefined ? undefined : `nothing was heard for ${Math.round(limit / 1000)} s`
}
