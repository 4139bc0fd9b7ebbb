/** Posts to an address: resolved once, connected to exactly that address, and never redirected. */

import type { Clock } from "#lib/clock.ts"
import type { ConnectionFailure, Network, Purpose } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AddressPolicy, sayRefusal } from "./addresses.ts"
import { readBody } from "./body.ts"
import { addressesToTry, locate } from "./download.ts"
import { sayWebFailure } from "./failure.ts"
import type { Resolve } from "./resolve.ts"

export interface Posting {
  readonly url: string
  readonly body: string | Uint8Array<ArrayBuffer>
  /** JSON when absent. */
  readonly type?: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Of the answer. */
  readonly mostBytes: number
}

export interface PostGround {
  readonly clock: Clock
  readonly policy: AddressPolicy
  readonly resolve?: Resolve
  readonly network: Network
  readonly purpose: Purpose
}

export interface Posted {
  readonly status: number
  readonly text: string
}

const connectMilliseconds = 10_000

/** The failure is part of a sentence that says why there is no answer. */
export async function post(ground: PostGround, posting: Posting): Promise<Result<Posted, string>> {
  if (posting.signal.aborted) return failed("it was interrupted")
  const posted = await send(ground, posting)
  return posted.ok || !posting.signal.aborted ? posted : failed("it was interrupted")
}

async function send(
  { policy, purpose, ...route }: PostGround,
  { url, body, type = "application/json", headers, mostBytes, signal }: Posting,
): Promise<Result<Posted, string>> {
  const address = policy.judgeUrl(url)
  if (!address.ok) return failed(sayRefusal(address.failure))
  const located = await locate(route, address.value, signal)
  if (!located.ok) return failed(sayWebFailure(located.failure))
  const refusal = policy.judgeResolved(address.value, located.value)
  if (refusal) return failed(sayRefusal(refusal))
  const sent = { ...headers, "content-type": type, "content-length": String(Buffer.byteLength(body)) }
  let last: ConnectionFailure = { when: "before", why: "the name has no address" }
  for (const ip of addressesToTry(route, address.value, located.value)) {
    const wanted = { address: address.value, ip, headers: sent, body, signal, clock: route.clock, connectMilliseconds }
    const response = await route.network.request(purpose, wanted)
    if (response.ok) {
      const { statusCode: status = 0 } = response.value
      const read = await readBody(response.value, mostBytes)
      if (read.ok) return ok({ status, text: read.value.toString("utf8") })
      return failed(read.failure.kind === "too_large" ? "its answer is too long" : read.failure.why)
    }
    last = response.failure
    // What was sent once may have had its effect, and is not sent again.
    if (last.when === "after" || signal.aborted) break
  }
  return failed(`${address.value.host} cannot be reached: ${last.why}`)
}
