/** HTTP to a provider. */

import type { HttpRefusal } from "./failure.ts"
import { networkWords } from "./network-words.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readRpcStatus } from "./rpc-status.ts"

export type WireFailure =
  | { readonly kind: "refused"; readonly refusal: Omit<HttpRefusal, "voice"> }
  | { readonly kind: "unreachable"; readonly why: string }
  | { readonly kind: "aborted" }

export interface Wire {
  readonly urlOf: (path: string) => string
  /** Makes the connection that the first request then uses. It has no failure of its own: the request tries again. */
  readonly connect: () => void
  readonly send: (
    message: { readonly path: string; readonly body: Uint8Array<ArrayBuffer> },
    headers: Headers,
    signal: AbortSignal,
  ) => Promise<Result<Response, WireFailure>>
}

/** Signs us in at the other end of the connection, besides the key. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly passphrase?: string
}

/** The runtime keeps connections open from one request to the next. */
export function openWire(baseUrl: string, certificate?: Certificate): Wire {
  const base = baseUrl.replace(/\/+$/, "")
  const urlOf = (path: string): string => base + path
  return {
    urlOf,
    connect() {
      // A connection made ahead would have no certificate.
      if (certificate) return
      try {
        fetch.preconnect(baseUrl)
      } catch {
        // The request says what is wrong with the address.
      }
    },
    async send({ path, body }, headers, signal) {
      try {
        // A redirect would carry the key to wherever it points.
        const init = { method: "POST", headers, body, signal, redirect: "manual" } as const
        const response = await fetch(urlOf(path), certificate ? { ...init, tls: certificate } : init)
        return response.ok ? ok(response) : failed({ kind: "refused", refusal: await refusalOf(response) })
      } catch (error) {
        return failed(signal.aborted ? { kind: "aborted" } : { kind: "unreachable", why: networkWords(error) })
      }
    },
  }
}

async function refusalOf(response: Response): Promise<Omit<HttpRefusal, "voice">> {
  const { status, headers } = response
  // The status is known, however the connection ends.
  const text = await response.text().catch(networkWords)
  const body = firstOf(parsed(text))
  const error: JsonObject = isObject(body) && isObject(body.error) ? body.error : {}
  return {
    status,
    headers,
    ...(typeof error.type === "string" ? { type: error.type } : readRpcStatus(error)),
    ...(typeof error.code === "string" && { code: error.code }),
    ...(typeof error.param === "string" && { field: error.param }),
    message: typeof error.message === "string" ? error.message : wordsOf(body, text),
  }
}

/** Google refuses some streams with a list. */
const firstOf = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body)

/** The provider's own message; gateways put it in other places than the provider does. */
function wordsOf(body: unknown, text: string): string {
  if (!isObject(body)) return text
  if (typeof body.message === "string") return body.message
  if (typeof body.Message === "string") return body.Message
  if (typeof body.error === "string") return body.error
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
