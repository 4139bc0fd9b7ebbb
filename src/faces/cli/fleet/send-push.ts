/** Sends a message to a browser. Browsers say where their push service is, so the address is judged like any other stranger's. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Network } from "#lib/network.ts"
import { outcomeOf, type PushMessage, type PushOutcome, pushRequest, type Subscription } from "#ground/push/request.ts"
import type { VapidKey } from "#ground/push/vapid.ts"
import { type AddressPolicy, guardedAddresses, sayRefusal } from "#ground/web/addresses.ts"
import { post } from "#ground/web/post.ts"

export interface PushParts {
  readonly key: VapidKey
  readonly contact: string
  readonly network: Network
  readonly clock: Clock
  readonly ids: Ids
  /** For a push service of one's own. */
  readonly allowPrivate: boolean
}

const longestMs = 15_000
const mostAnswerBytes = 100_000
const longestEndpoint = 1_000

/** Why nothing is sent to such an address, before its name is looked up. */
export function endpointProblem(endpoint: string, allowPrivate: boolean): string | undefined {
  if (endpoint.length > longestEndpoint) return `The address has more than ${longestEndpoint} characters.`
  const judged = policyOf(allowPrivate).judgeUrl(endpoint)
  if (!judged.ok) return sayRefusal(judged.failure)
  return endpoint.startsWith("https:") || allowPrivate ? undefined : "A push service has an https address."
}

const policyOf = (allowPrivate: boolean): AddressPolicy => guardedAddresses(() => allowPrivate)

export async function sendPush(
  { key, contact, network, clock, ids, allowPrivate }: PushParts,
  to: Subscription,
  message: PushMessage,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const request = await pushRequest({ key, contact, ids, nowMs: clock.now() }, to, message)
  if (!request.ok) return { why: request.failure }
  const late = new AbortController()
  const stop = clock.after(longestMs, () => late.abort())
  const sent = await post(
    { clock, network, purpose: { why: "push", chosenBy: "others" }, policy: policyOf(allowPrivate) },
    {
      ...request.value,
      url: to.endpoint,
      signal: AbortSignal.any([signal, late.signal]),
      mostBytes: mostAnswerBytes,
    },
  )
  stop()
  return sent.ok ? outcomeOf(sent.value.status) : { why: sent.failure }
}
