/** Access to a provider over HTTP: requests in its wire format, its key, and what it answers. */

import type { Request } from "#agent/words/model.ts"
import type { AttemptFailure } from "./attempt.ts"
import { type Credential, openCredential, type KeyHeaders, type KeySource } from "./credential.ts"
import type { HttpRefusal, Voice } from "./failure.ts"
import type { PortParts, ProviderPort } from "./provider.ts"
import { openWatch, type StreamWatch } from "./watch.ts"
import { optional } from "#lib/optional.ts"
import { secretsInHeaders, secretsInUrl } from "#lib/mask-known.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openAnswer, type Pieces, type AttemptEvent } from "./answer.ts"
import { abortedFailure, keyFailure, unsendableKey, unsentFailure, unusableFailure } from "./attempt-failures.ts"
import type { Encoded, WireFormat } from "./format.ts"
import { type Wire, type WireFailure, openWire } from "./wire.ts"

export interface Address extends KeySource {
  readonly baseUrl: string
  /** Sent with every request of the format. */
  readonly formatHeaders?: { readonly [name: string]: string }
  /** Sent with every request, overriding ours with the same names. */
  readonly headers?: { readonly [name: string]: string }
  /** Credentials of the way there, such as those of a proxy. */
  readonly secrets?: readonly string[]
  readonly voice: Voice
  /** In place of a key. */
  readonly credential?: Credential
  /** What a refusal means where the provider puts it in terms of its own. */
  readonly refine?: (refusal: Omit<HttpRefusal, "voice">) => Omit<HttpRefusal, "voice">
  /** The provider, for the list of connections. */
  readonly name?: string
  /** A request follows soon: the connection is made meanwhile. */
  readonly soon?: boolean
}

export function openPort(
  address: Address,
  format: WireFormat,
  { limits, clock, pieces, network }: PortParts,
): ProviderPort {
  const { voice } = address
  const wire = wireTo(address, network)
  if (address.soon && wire.ok) wire.value.connect()
  const credential = address.credential ?? openCredential(address, clock)
  const watches = new Set<StreamWatch>()
  /** What carried a key so far, each once. What of it is secret is asked when something failed. */
  const keys = new Map<string, readonly [name: string, value: string]>()
  let closed = false

  function attempt(request: Request, signal: AbortSignal): AsyncIterator<AttemptEvent> {
    const watch = openWatch(clock, signal)
    watches.add(watch)
    let encoded: Encoded | undefined

    async function send(): Promise<Result<Response, AttemptFailure>> {
      if (closed) return failed(abortedFailure)
      const key = await credential.headers(signal)
      if (!key.ok) return failed(keyFailure(key.failure, voice))
      if (!Object.values(key.value).every(isHeaderText)) return failed(unsendableKey(voice))
      if (!wire.ok) return failed(unusableFailure(wire.failure))
      for (;;) {
        encoded = format.encode(request)
        const plain = headersFor(address, key.value, encoded)
        const url = wire.value.urlOf(encoded.path)
        const signed = credential.sign
          ? await credential.sign({ url, headers: plain, body: encoded.body }, signal)
          : ok(plain)
        if (!signed.ok) return failed(keyFailure(signed.failure, voice))
        // A signature is good for one request, and what made it is among the credential's own secrets.
        for (const [name, value] of Object.entries(key.value)) keys.set(`${name} ${value}`, [name, value])
        watch.listen(request.delivery === "whole" ? limits.wholeMs : limits.firstByteMs)
        const sent = await wire.value.send(encoded, signed.value, watch.signal)
        watch.received()
        if (sent.ok) return sent
        const failure = refined(sent.failure)
        const isAdapted = failure.kind === "refused" && format.adapt?.(request, failure.refusal) !== undefined
        if (!isAdapted) return failed(unsentFailure(failure, watch, voice, clock.now()))
      }
    }

    function refined(failure: WireFailure): WireFailure {
      return failure.kind === "refused" && address.refine
        ? { kind: "refused", refusal: address.refine(failure.refusal) }
        : failure
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
      decoder: format.openDecoder(request),
      framings: format.framings,
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
    secrets: () => [
      ...secretsInUrl(address.baseUrl),
      ...(address.secrets ?? []),
      ...secretsInHeaders([...keys.values(), ...Object.entries(address.headers ?? {})]),
      ...(credential.secrets?.() ?? []),
    ],
    close() {
      closed = true
      for (const watch of watches) watch.cancel()
    },
  }
}

const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

/** All headers of a request; there are no others. */
function headersFor({ formatHeaders, headers: added }: Address, key: KeyHeaders, encoded: Encoded): Headers {
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "codewright",
    ...formatHeaders,
    ...key,
  })
  for (const [name, value] of Object.entries(added ?? {})) headers.set(name, value)
  // Beta features add up: a header set by the user does not remove those the model needs.
  for (const [name, value] of encoded.headers) headers.append(name, value)
  return headers
}

function wireTo({ baseUrl, name }: Address, network: PortParts["network"]): Result<Wire, string> {
  return /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)
    ? ok(openWire(baseUrl, network, { why: "model", chosenBy: "user", ...optional("name", name) }))
    : failed(`the base URL is not an address: ${baseUrl}`)
}
