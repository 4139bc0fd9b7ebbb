/** One attempt at a request over the Messages API. */

import type { Request } from "#agent/words/model.ts"
import type { AttemptFailure } from "#ground/models/attempt.ts"
import { openCredential, type KeySource } from "#ground/models/credential.ts"
import type { Voice } from "#ground/models/failure.ts"
import type { PortParts, ProviderPort } from "#ground/models/provider.ts"
import { openWatch, type StreamWatch } from "#ground/models/watch.ts"
import { secretsInHeaders, secretsInUrl } from "#lib/mask-known.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openAnswer, type Pieces, type AttemptEvent } from "./answer.ts"
import { openDecoder } from "./decode.ts"
import { abortedFailure, keyFailure, unsentFailure, unusableFailure } from "./failures.ts"
import { headersFor } from "./headers.ts"
import { type Dialect, type Encoded, openRequestEncoder } from "./request.ts"
import { type Certificate, type MessagesWire, openWire } from "./wire.ts"

export interface MessagesAddress extends KeySource {
  readonly baseUrl: string
  /** Sent with every request, overriding ours with the same names. */
  readonly headers?: { readonly [name: string]: string }
  /** Credentials of the way there, such as those of a proxy. */
  readonly secrets?: readonly string[]
  readonly voice: Voice
  readonly certificate?: Certificate
  /** A request follows soon: the connection is made meanwhile. */
  readonly soon?: boolean
}

export function openMessages(
  address: MessagesAddress,
  dialect: Dialect,
  { limits, clock, toolIds, messageIds, pieces }: PortParts,
): ProviderPort {
  const { voice } = address
  const wire = wireTo(address)
  if (address.soon && wire.ok) wire.value.connect()
  const credential = openCredential(address, clock)
  const encoder = openRequestEncoder(dialect, toolIds.note)
  const watches = new Set<StreamWatch>()
  const secrets = new Set([...secretsInUrl(address.baseUrl), ...(address.secrets ?? [])])
  let closed = false

  function attempt(request: Request, signal: AbortSignal): AsyncIterator<AttemptEvent> {
    const watch = openWatch(clock, signal)
    watches.add(watch)
    const searching = request.serverTools?.length ? "with_search" : "plain"
    let encoded: Encoded | undefined

    async function send(): Promise<Result<Response, AttemptFailure>> {
      if (closed) return failed(abortedFailure)
      const key = await credential.headers(signal)
      if (!key.ok) return failed(keyFailure(key.failure))
      if (!wire.ok) return failed(unusableFailure(wire.failure))
      encoded = encoder.encode(request)
      const headers = headersFor(encoded.betas, key.value, address.headers ?? {})
      for (const secret of secretsInHeaders(headers)) secrets.add(secret)
      watch.listen(request.delivery === "whole" ? limits.wholeMs : limits.firstByteMs)
      const sent = await wire.value.send(encoded.body, headers, watch.signal)
      watch.heard()
      return sent.ok ? sent : failed(unsentFailure(sent.failure, watch, voice, clock.now()))
    }

    function onEnd(how: "whole" | "broken", rest: Pieces | undefined): void {
      if (how === "whole") {
        // A whole answer means that the request was read to its end; after anything else it may still be on its way.
        encoded?.release()
        void drain(watch, rest)
      } else {
        watch.cancel()
        watches.delete(watch)
      }
    }

    return openAnswer({
      send,
      decoder: openDecoder({ by: dialect.name, toolIds, messageIds, searching }),
      delivery: request.delivery,
      pieces,
      watch,
      limits,
      signal,
      isClosed: () => closed,
      voice,
      clock,
      onEnd,
    })
  }

  /** Reads the rest of a complete answer, so that its connection can be reused. Not awaited. */
  async function drain(watch: StreamWatch, rest: AsyncIterator<unknown> | undefined): Promise<void> {
    watch.listen(limits.drainMs)
    try {
      while (rest && !(await rest.next()).done);
    } catch {
      // The answer is whole; how its connection ends is no longer of interest.
    }
    watch.stop()
    watches.delete(watch)
  }

  return {
    attempt: (request, signal) => ({ [Symbol.asyncIterator]: () => attempt(request, signal) }),
    ...(credential.refresh && { refreshKey: credential.refresh }),
    secrets: () => [...secrets],
    close() {
      closed = true
      for (const watch of watches) watch.cancel()
    },
  }
}

function wireTo({ baseUrl, certificate }: MessagesAddress): Result<MessagesWire, string> {
  return /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)
    ? ok(openWire(baseUrl, certificate))
    : failed(`the base URL is not an address: ${baseUrl}`)
}
