/** Requests of the page to its server. What can go wrong is a value that says what to do. */

import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type ApiFailure =
  /** No answer at all. */
  | { readonly kind: "offline" }
  | { readonly kind: "signed_out" }
  /** The server says no, and why. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string; readonly message: string }

export type ApiResult<T> = Result<T, ApiFailure>

export const get = async <T>(path: string, signal?: AbortSignal): Promise<ApiResult<T>> =>
  read<T>(await ask(path, { method: "GET", ...(signal && { signal }) }))

/** What was got, with the server's mark of it; nothing if it is still what the mark says. */
export interface Marked<T> {
  readonly value: T
  readonly mark: string
}

export async function getAgain<T>(
  path: string,
  mark: string | undefined,
  signal: AbortSignal,
): Promise<ApiResult<Marked<T> | "unchanged">> {
  const response = await ask(path, { method: "GET", signal, ...(mark && { headers: { "if-none-match": mark } }) })
  if (response?.status === 304) return ok("unchanged")
  const answered = await read<T>(response)
  return answered.ok ? ok({ value: answered.value, mark: response?.headers.get("etag") ?? "" }) : answered
}

/** Idempotent: repeating a request with the same key has no further effect. */
export const post = async <T>(path: string, body: JsonObject, key: string = newKey()): Promise<ApiResult<T>> =>
  read<T>(
    await ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
    }),
  )

export const remove = async (path: string): Promise<ApiResult<void>> =>
  read<void>(await ask(path, { method: "DELETE" }))

/** Browsers offer better ids only over TLS and on this machine. */
const newKey = (): string => Array.from({ length: 4 }, () => systemIds.random().toString(36).slice(2, 10)).join("-")

/** Undefined if there was no answer at all. */
const ask = (path: string, init: RequestInit): Promise<Response | undefined> =>
  fetch(path, { ...init, credentials: "same-origin", cache: "no-store" }).catch(() => undefined)

async function read<T>(response: Response | undefined): Promise<ApiResult<T>> {
  if (!response) return failed({ kind: "offline" })
  if (response.status === 401) return failed({ kind: "signed_out" })
  const value: unknown = await response.json().catch(() => undefined)
  // The server is the one this page came from, so its answers have the shapes of the contract.
  if (response.ok) return ok(value as T)
  const error = isObject(value) && isObject(value["error"]) ? value["error"] : {}
  return failed({
    kind: "refused",
    status: response.status,
    code: typeof error["code"] === "string" ? error["code"] : "unknown",
    message: typeof error["message"] === "string" ? error["message"] : `The server answered with ${response.status}.`,
  })
}

export function failureText(failure: ApiFailure): string {
  switch (failure.kind) {
    case "offline":
      return "The server cannot be reached. Try again when it is back."
    case "signed_out":
      return "You are signed out. Reload the page to sign in."
    case "refused":
      return failure.message
  }
}

/** A part of a path: ids come from outside. */
export const at = (id: string): string => encodeURIComponent(id)
