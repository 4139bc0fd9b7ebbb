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

export const get = <T>(path: string, signal?: AbortSignal): Promise<ApiResult<T>> =>
  ask<T>(path, { method: "GET", ...(signal && { signal }) })

/** SentDecision again with the same key it changes nothing more, so a lost answer is no reason to worry. */
export const post = <T>(path: string, body: JsonObject, key: string = newKey()): Promise<ApiResult<T>> =>
  ask<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  })

export const remove = (path: string): Promise<ApiResult<void>> => ask<void>(path, { method: "DELETE" })

/** Browsers offer better ids only over TLS and on this machine. */
const newKey = (): string => Array.from({ length: 4 }, () => systemIds.random().toString(36).slice(2, 10)).join("-")

async function ask<T>(path: string, init: RequestInit): Promise<ApiResult<T>> {
  let response: Response
  try {
    response = await fetch(path, { ...init, credentials: "same-origin", cache: "no-store" })
  } catch {
    return failed({ kind: "offline" })
  }
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
      return "The server cannot be reached. The page tries again by itself."
    case "signed_out":
      return "You are signed out. Reload the page to sign in."
    case "refused":
      return failure.message
  }
}

/** A part of a path: ids come from outside. */
export const at = (id: string): string => encodeURIComponent(id)
