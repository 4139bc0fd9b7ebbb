/** Says to a push service who sends: VAPID (RFC 8292). A subscription belongs to one key, so a server keeps its own for good. */

import { failed, ok, type Result } from "#lib/result.ts"
import { decoded, pointBytes } from "./encrypt.ts"

export interface VapidKey {
  /** What pages subscribe with, in base64url. */
  readonly publicKey: string
  readonly sign: (text: string) => Promise<string>
}

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const
const privateBytes = 32

/** A new key, as text: both halves in base64url, with a dot between them. */
export async function newVapidKey(): Promise<string> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const [{ d }, point] = await Promise.all([
    crypto.subtle.exportKey("jwk", privateKey),
    crypto.subtle.exportKey("raw", publicKey),
  ])
  return `${encoded(new Uint8Array(point))}.${d}`
}

/** The failure is a sentence, without the key. */
export async function vapidKeyFrom(text: string): Promise<Result<VapidKey, string>> {
  const [publicKey = "", secret = "", ...rest] = text.trim().split(".")
  const point = decoded(publicKey)
  const notOurs = failed(
    "This is not a key for push messages: both parts of a pair in base64url, with a dot between them.",
  )
  if (rest.length > 0 || point.length !== pointBytes || decoded(secret).length !== privateBytes) return notOurs
  const [x, y] = [encoded(point.subarray(1, 33)), encoded(point.subarray(33))]
  try {
    const jwk = { kty: "EC", crv: "P-256", x, y, d: secret }
    const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"])
    const sign = async (signed: string): Promise<string> =>
      encoded(new Uint8Array(await crypto.subtle.sign(hashed, key, new TextEncoder().encode(signed))))
    return ok({ publicKey, sign })
  } catch {
    return notOurs
  }
}

const hashed = { name: "ECDSA", hash: "SHA-256" } as const

/** Services take no more than a day. */
const validSeconds = 12 * 60 * 60

/** The header for one endpoint; `contact` is where the service can reach somebody: a mailto or https address. */
export async function vapidHeader(
  key: VapidKey,
  { endpoint, contact, nowMs }: { readonly endpoint: string; readonly contact: string; readonly nowMs: number },
): Promise<string> {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(nowMs / 1000) + validSeconds, sub: contact }
  const signed = [{ typ: "JWT", alg: "ES256" }, claims].map((each) => encoded(JSON.stringify(each))).join(".")
  return `vapid t=${signed}.${await key.sign(signed)}, k=${key.publicKey}`
}

const encoded = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url")
