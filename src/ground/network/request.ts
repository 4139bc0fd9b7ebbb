/** One request to one IP address: the name is only for TLS and the Host header, nothing is resolved here. */

import { type RequestOptions, request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import { connectionWords } from "#lib/connection-words.ts"
import { isIp } from "#lib/ip.ts"
import type { ConnectionFailure, HttpAnswer, PinnedRequest } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import type { TlsOptions } from "./tls.ts"

/** Resolves with the head of the answer; the body is still on its way. */
export function request(wanted: PinnedRequest, own: TlsOptions): Promise<Result<HttpAnswer, ConnectionFailure>> {
  const { address, ip } = wanted
  const url = new URL(address.url)
  const isSecure = address.scheme === "https"
  const options: RequestOptions = {
    host: ip,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: wanted.method ?? (wanted.body === undefined ? "GET" : "POST"),
    headers: { ...wanted.headers, "user-agent": `Codewright/${version}`, host: url.host },
    // A separate connection: none is shared between names that lead to one address.
    agent: false,
    signal: wanted.signal,
  }
  // A certificate for a bare address is checked against that address, for which there is no server name.
  const name = isIp(address.host) ? {} : { servername: address.host }
  const tls = { ...name, rejectUnauthorized: true, ...own, ca: own.ca && [...own.ca] }
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
