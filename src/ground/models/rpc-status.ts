/** Errors as Google's services write them (`google.rpc.Status`), in the names and waits that all formats share. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface ReadStatus {
  /** One of the names that failures are known by; Google's own where there is none. */
  readonly type: string
  /** How long to wait. */
  readonly waitMs?: number
  /** `never`: a quota that is not filled again soon, whatever wait is named beside it. */
  readonly retry?: "never"
}

/** Undefined for an error of any other shape. */
export function readRpcStatus(error: JsonObject): ReadStatus | undefined {
  const { status, message, code } = error
  if (typeof status !== "string" || typeof code !== "number") return undefined
  const details: readonly JsonValue[] = Array.isArray(error.details) ? error.details : []
  const of = (kind: string): readonly JsonObject[] =>
    details.filter(isObject).filter((detail) => String(detail["@type"]).endsWith(`/google.rpc.${kind}`))
  const reasons = of("ErrorInfo").map(({ reason }) => reason)
  const waitMs = of("RetryInfo").flatMap(({ retryDelay }) => durationMs(retryDelay))[0]
  return {
    type: typeOf(status, typeof message === "string" ? message : "", reasons),
    ...(waitMs !== undefined && { waitMs }),
    ...(of("QuotaFailure").some(isDaily) && { retry: "never" }),
  }
}

function typeOf(status: string, message: string, reasons: readonly (JsonValue | undefined)[]): string {
  // A wrong key is an invalid argument there.
  if (reasons.includes("API_KEY_INVALID") || status === "UNAUTHENTICATED") return "authentication_error"
  if (/payload size exceeds/i.test(message)) return "request_too_large"
  return named[status] ?? status
}

const named: { readonly [status: string]: string } = {
  INVALID_ARGUMENT: "invalid_request_error",
  FAILED_PRECONDITION: "invalid_request_error",
  PERMISSION_DENIED: "permission_error",
  NOT_FOUND: "not_found_error",
  RESOURCE_EXHAUSTED: "rate_limit_error",
  INTERNAL: "api_error",
  UNAVAILABLE: "overloaded_error",
  DEADLINE_EXCEEDED: "timeout_error",
}

/** Such as `34.07s`. */
function durationMs(duration: JsonValue | undefined): number[] {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(duration)) ?? []
  return seconds === undefined ? [] : [Math.ceil(Number(seconds) * 1000)]
}

const isDaily = ({ violations }: JsonObject): boolean =>
  Array.isArray(violations) &&
  violations.some((violation: JsonValue) => isObject(violation) && /PerDay/.test(String(violation.quotaId)))
