/** What is posted to the push service of a browser (RFC 8030), and what its answer means. */

import type { Ids } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import { encryptMessage, newPair, type SubscriptionKeys } from "./encrypt.ts"
import { vapidHeader, type VapidKey } from "./vapid.ts"

export interface Subscription extends SubscriptionKeys {
  readonly endpoint: string
}

export interface PushMessage {
  readonly text: string
  /** A later message about the same replaces one that has not arrived. At most 32 characters of base64url. */
  readonly topic: string
  readonly ttlSeconds: number
}

/** `gone`: the browser does not take messages any more, so the subscription is forgotten. */
export type PushOutcome = "sent" | "gone" | { readonly why: string }

export interface PushRequest {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
}

/** The failure is a sentence. */
export async function pushRequest(
  {
    key,
    contact,
    ids,
    nowMs,
  }: { readonly key: VapidKey; readonly contact: string; readonly ids: Ids; readonly nowMs: number },
  { endpoint, ...keys }: Subscription,
  { text, topic, ttlSeconds }: PushMessage,
): Promise<Result<PushRequest, string>> {
  const body = await encryptMessage(keys, text, { keys: await newPair(), salt: newSalt(ids) })
  if (!body.ok) return body
  return ok({
    body: body.value,
    type: "application/octet-stream",
    headers: {
      authorization: await vapidHeader(key, { endpoint, contact, nowMs }),
      "content-encoding": "aes128gcm",
      ttl: String(ttlSeconds),
      urgency: "high",
      topic,
    },
  })
}

export function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return "sent"
  return status === 404 || status === 410 ? "gone" : { why: `the push service answered ${status}` }
}

const newSalt = (ids: Ids): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Bun.CryptoHasher("sha256").update(`${ids.uuid()}${ids.uuid()}`).digest().subarray(0, 16))
