/** Reads an ID token of an OpenID provider, and believes it only if the provider signed it for us, now, for this sign-in. */

import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Expected {
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string
  readonly nowMs: number
}

/** Clocks of two machines may differ by so much. */
const skewMs = 60_000

/** Algorithms with a key pair; `none` and those with a shared secret are not among them. */
const algorithms: { readonly [alg: string]: { readonly key: KeyKind; readonly use: SignatureKind } | undefined } = {
  RS256: { key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, use: { name: "RSASSA-PKCS1-v1_5" } },
  RS384: { key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" }, use: { name: "RSASSA-PKCS1-v1_5" } },
  RS512: { key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" }, use: { name: "RSASSA-PKCS1-v1_5" } },
  PS256: { key: { name: "RSA-PSS", hash: "SHA-256" }, use: { name: "RSA-PSS", saltLength: 32 } },
  ES256: { key: { name: "ECDSA", namedCurve: "P-256" }, use: { name: "ECDSA", hash: "SHA-256" } },
  ES384: { key: { name: "ECDSA", namedCurve: "P-384" }, use: { name: "ECDSA", hash: "SHA-384" } },
  EdDSA: { key: { name: "Ed25519" }, use: { name: "Ed25519" } },
}
type KeyKind =
  | { readonly name: string; readonly hash: string }
  | { readonly name: string; readonly namedCurve: string }
  | { readonly name: string }
type SignatureKind =
  | { readonly name: string; readonly saltLength: number }
  | { readonly name: string; readonly hash: string }
  | { readonly name: string }

/** `unknown_key`: the provider may have new keys since they were fetched. The failure's words are part of a sentence. */
export type TokenFailure = { readonly kind: "unknown_key" | "refused"; readonly why: string }

export async function readIdToken(
  token: string,
  keys: readonly JsonObject[],
  expected: Expected,
): Promise<Result<JsonObject, TokenFailure>> {
  const [head = "", body = "", signature = "", ...more] = token.split(".")
  const header = decoded(head)
  const claims = decoded(body)
  if (!header || !claims || more.length > 0) return refused("it is not a signed token")
  const { alg, kid } = header
  const algorithm = typeof alg === "string" ? algorithms[alg] : undefined
  if (!algorithm) return refused(`its algorithm is ${JSON.stringify(alg)}`)
  const candidates = keys.filter((key) => isUsable(key, alg, kid))
  if (candidates.length === 0) return failed({ kind: "unknown_key", why: "its key is not one of the provider's" })
  const signed = new TextEncoder().encode(`${head}.${body}`)
  const bytes = Buffer.from(signature, "base64url")
  let isSigned = false
  for (const key of candidates) isSigned ||= await verifies(key, algorithm, bytes, signed)
  if (!isSigned) return refused("its signature is wrong")
  const problem = problemWith(claims, expected)
  return problem === undefined ? ok(claims) : refused(problem)
}

const refused = (why: string): Result<never, TokenFailure> => failed({ kind: "refused", why })

function decoded(part: string): JsonObject | undefined {
  return objectIn(Buffer.from(part, "base64url").toString("utf8"))
}

/** A key that names what it is for is used for nothing else. */
function isUsable(key: JsonObject, alg: unknown, kid: unknown): boolean {
  const isNamed = typeof kid !== "string" || key["kid"] === undefined || key["kid"] === kid
  const isForSigning = key["use"] === undefined || key["use"] === "sig"
  return isNamed && isForSigning && (key["alg"] === undefined || key["alg"] === alg) && key["kty"] !== "oct"
}

async function verifies(
  key: JsonObject,
  { key: kind, use }: { readonly key: KeyKind; readonly use: SignatureKind },
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey("jwk", key, kind, false, ["verify"])
    return await crypto.subtle.verify(use, imported, signature, signed)
  } catch {
    return false
  }
}

function problemWith(claims: JsonObject, { issuer, clientId, nonce, nowMs }: Expected): string | undefined {
  const { iss, aud, azp, exp, nbf, nonce: tokenNonce, sub } = claims
  const audience = Array.isArray(aud) ? aud : [aud]
  if (iss !== issuer) return "it is from another issuer"
  if (!audience.includes(clientId)) return "it is for another client"
  if ((audience.length > 1 || azp !== undefined) && azp !== clientId) return "it was issued to another client"
  if (typeof exp !== "number" || exp * 1000 < nowMs - skewMs) return "it has expired"
  if (typeof nbf === "number" && nbf * 1000 > nowMs + skewMs) return "it is not valid yet"
  if (tokenNonce !== nonce) return "it belongs to another sign-in"
  return typeof sub === "string" && sub !== "" ? undefined : "it names nobody"
}
