/**
 * Requests to hosts that are resolved once: all of them go to the addresses judged then, and redirects are not
 * followed.
 */

import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { HttpAnswer, Network, Purpose } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AddressPolicy, sayRefusal, type WebAddress } from "./addresses.ts"
import { addressesToTry, locate } from "./download.ts"
import { sayWebFailure } from "./failure.ts"
import type { Resolve } from "./resolve.ts"

export interface PinnedGround {
  readonly clock: Clock
  readonly policy: AddressPolicy
  readonly resolve?: Resolve
  readonly network: Network
  readonly purpose: Purpose
}

/** `unreachable`: may work another time; `refused`: never. */
export interface PinnedFailure {
  readonly kind: "refused" | "unreachable" | "aborted"
  readonly message: string
}

export interface Sending {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface Pinned {
  /** Resolves an address without connecting; the result is used for what is sent later. */
  readonly judge: (url: string, signal: AbortSignal) => Promise<Result<void, PinnedFailure>>
  /** Resolves with the head of the answer; its body is streamed. A redirect is an answer like any other. */
  readonly send: (sending: Sending) => Promise<Result<Response, PinnedFailure>>
}

const connectMilliseconds = 10_000

export function openPinned({ clock, policy, resolve, network, purpose }: PinnedGround): Pinned {
  const pins = new Map<string, readonly string[]>()

  async function place(
    url: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly address: WebAddress; readonly ips: readonly string[] }, PinnedFailure>> {
    const judged = policy.judgeUrl(url)
    if (!judged.ok) return refused(sayRefusal(judged.failure))
    const address = judged.value
    // Not corrected silently: what is sent may be a secret, and the author may mean another server.
    if (address.scheme === "https" && /^\s*http:/i.test(url))
      return refused(`${address.host} is reached by https only. Write its address with https.`)
    const known = pins.get(address.host)
    const located = known
      ? ok(known)
      : await locate({ ...optional("resolve", resolve), network, clock }, address, signal)
    if (!located.ok) return unreached(signal, sayWebFailure(located.failure))
    const refusal = policy.judgeResolved(address, located.value)
    if (refusal) return refused(sayRefusal(refusal))
    pins.set(address.host, located.value)
    return ok({ address, ips: located.value })
  }

  return {
    async judge(url, signal) {
      const placed = await place(url, signal)
      return placed.ok ? ok(undefined) : placed
    },
    async send({ url, method, headers, body, signal }) {
      const placed = await place(url, signal)
      if (!placed.ok) return placed
      const { address, ips } = placed.value
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
      const sent = { "accept-encoding": "identity", ...headers, ...length }
      const wanted = { address, method, headers: sent, signal, clock, connectMilliseconds }
      let why = "the name has no address"
      for (const ip of addressesToTry({ network }, address, ips)) {
        const response = await network.request(purpose, { ...wanted, ip, ...optional("body", body) })
        if (response.ok) return answerOf(response.value, address)
        why = response.failure.why
        // What was sent once may have had its effect, and is not sent again.
        if (response.failure.when === "after" || signal.aborted) return unreached(signal, cannotReach(address, why))
      }
      // A host that has moved is resolved and judged again with the next request.
      pins.delete(address.host)
      return unreached(signal, cannotReach(address, why))
    },
  }
}

const refused = (message: string): Result<never, PinnedFailure> => failed({ kind: "refused", message })

const unreached = ({ aborted }: AbortSignal, message: string): Result<never, PinnedFailure> =>
  failed(aborted ? { kind: "aborted", message: "It was interrupted." } : { kind: "unreachable", message })

const cannotReach = ({ host }: WebAddress, why: string): string => `${host} cannot be reached: ${why}.`

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

function answerOf(incoming: HttpAnswer, { host }: WebAddress): Result<Response, PinnedFailure> {
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming
  const headers = headersOf(incoming.rawHeaders)
  const unpacked = unpack(incoming, headers?.get("content-encoding") ?? "")
  if (headers === undefined || unpacked === undefined || status < 200 || status > 599) {
    incoming.destroy()
    return failed({ kind: "unreachable", message: `${host} gave an answer that cannot be read (status ${status}).` })
  }
  headers.delete("content-encoding")
  if (bodiless.has(status)) incoming.destroy()
  const body = bodiless.has(status) ? null : streamOf(unpacked)
  return ok(new Response(body, { status, statusText: statusText.replace(/[^ -~]/g, ""), headers }))
}

function headersOf(raw: readonly string[]): Headers | undefined {
  const headers = new Headers()
  try {
    for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? "", raw[at + 1] ?? "")
    return headers
  } catch {
    return undefined
  }
}

/** No compression was requested; some servers compress all the same. */
function unpack(incoming: HttpAnswer, encoding: string): Readable | undefined {
  const name = encoding.trim().toLowerCase()
  if (name === "" || name === "identity") return incoming
  const unpacker = unpackers.get(name)?.()
  // The reader of the decompressed stream learns about its end, good or bad.
  return unpacker && pipeline(incoming, unpacker, () => {})
}

const unpackers: ReadonlyMap<string, () => ReturnType<typeof createGunzip>> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
])

/** Only as much is read as is wanted, and cancelling closes the connection. */
function streamOf(from: Readable): ReadableStream<Uint8Array> {
  const chunks = from.iterator({ destroyOnReturn: true })
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next: IteratorResult<Uint8Array> = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: () => void from.destroy(),
  })
}
