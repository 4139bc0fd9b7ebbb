/** One request to one IP address: the name is only for TLS and the Host header, nothing is resolved here. */

import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { WebAddress } from "./addresses.ts"
import { isIp } from "#lib/ip.ts"

const userAgent = `Codewright/${version}`

export interface PinnedRequest {
  readonly address: WebAddress
  readonly ip: string
  readonly headers: Readonly<Record<string, string>>
  /** GET, or POST with a body, when absent. */
  readonly method?: string
  readonly body?: string
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly connectMilliseconds: number
}

/** `before` the connection is established, another address of the host may still work. */
export interface ConnectionFailure {
  readonly when: "before" | "after"
  readonly why: string
}

/** Resolves with the head of the answer; the body is still on its way. */
export function request(wanted: PinnedRequest): Promise<Result<IncomingMessage, ConnectionFailure>> {
  const { address, ip, ca } = wanted
  const url = new URL(address.url)
  const isSecure = address.scheme === "https"
  const options: RequestOptions = {
    host: ip,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: wanted.method ?? (wanted.body === undefined ? "GET" : "POST"),
    headers: { ...wanted.headers, "user-agent": userAgent, host: url.host },
    // A separate connection: none is shared between names that lead to one address.
    agent: false,
    signal: wanted.signal,
  }
  // A certificate for a bare address is checked against that address, for which there is no server name.
  const name = isIp(address.host) ? {} : { servername: address.host }
  const tls = { ...name, rejectUnauthorized: true, ...(ca !== undefined && { ca }) }
  return new Promise((resolve) => {
    let when: ConnectionFailure["when"] = "before"
    const outgoing = isSecure ? requestSecure({ ...options, ...tls }) : requestPlain(options)
    const cancel = wanted.clock.after(wanted.connectMilliseconds, () =>
      outgoing.destroy(new Error("it does not accept the connection")),
    )
    const connected = (): void => {
      when = "after"
      cancel()
    }
    outgoing.on("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", connected))
    outgoing.on("response", (response) => {
      connected()
      // A reader of the body gets the error there; without a reader, the end of the connection does not matter.
      response.on("error", () => {})
      resolve(ok(response))
    })
    outgoing.on("error", (error) => {
      cancel()
      resolve(failed({ when, why: connectionWords(error) }))
    })
    outgoing.end(wanted.body)
  })
}

/** Falls back to the error's own message. */
export function connectionWords(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return words[code] ?? (code.startsWith("HPE_") ? "it does not answer in proper HTTP" : error.message)
}

const words: { readonly [code: string]: string } = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  ENETUNREACH: "there is no way to its network",
  EHOSTUNREACH: "there is no way to it",
  EADDRNOTAVAIL: "there is no way to its network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by nobody we know",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by nobody we know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by nobody we know",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  HPE_HEADER_OVERFLOW: "the head of its answer is too long",
}
