/** When a connection through a proxy fails: whether it was the proxy, and which setting to change. */

import { codeOf } from "#lib/error-code.ts"
import type { Proxy } from "./proxies.ts"

/** No code of a system: its message is shown as it is. */
const proxyCode = "ERR_PROXY"

/** The only machine we connect to is the proxy, so these are about it. */
const unreachable: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  ENETUNREACH: "network unreachable",
  EHOSTUNREACH: "host unreachable",
}

/** The error itself if the proxy had no part in it. */
export function proxyError(error: unknown, proxy: Proxy, host: string): unknown {
  const code = codeOf(error)
  const why = unreachable[code]
  if (why !== undefined) return failure(`the proxy ${proxy.shown} cannot be reached: ${why}. Check ${proxy.from}`)
  const status = code === "ERR_PROXY_TUNNEL" ? statusIn(error) : undefined
  if (status !== undefined) return refusedByProxy(status, proxy, host)
  if (code === "ECONNRESET" || code === "EPIPE")
    return failure(`the proxy ${proxy.shown} (${proxy.from}) closed the connection to ${host}`)
  return error
}

export function refusedByProxy(status: number, { shown, from }: Proxy, host: string): Error {
  if (status === 407)
    return lasting(
      `the proxy ${shown} wants a user name and password, or rejected them (407). Put user:password@ before the host in ${from}`,
    )
  const advice = status === 403 ? `Ask for ${host} to be allowed, or add it to NO_PROXY` : `Check ${from}`
  const message = `the proxy ${shown} refused to connect to ${host} (${status}). ${advice}`
  return status === 403 ? lasting(message) : failure(message)
}

const failure = (message: string): Error => Object.assign(new Error(message), { code: proxyCode })

/** Until somebody changes something. */
export const lasting = (message: string): Error => Object.assign(failure(message), { isLasting: true })

function statusIn(error: unknown): number | undefined {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : undefined
}
