/** Failures between us and a server, as values: the library throws, we do not. */

import { maskKnown } from "#lib/mask-known.ts"
import type { McpFailure } from "./connection.ts"

/** For an error that we throw ourselves, through the library. */
export const needsLoginCode = "NEEDS_LOGIN"
export const refusedCode = "ADDRESS_REFUSED"
export const unreachedCode = "ADDRESS_UNREACHED"
/** For an answer that we give ourselves, because the server gives none. */
export const cutOffCode = -32_099

/** `secrets` were sent to the server, which may repeat them. */
export function failureOf(error: unknown, signal: AbortSignal, secrets: readonly string[] = []): McpFailure {
  const failure = understood(error, signal)
  return { ...failure, message: maskKnown(failure.message.slice(0, longestMessage).toWellFormed(), secrets) }
}

/** The status of HTTP that an error comes from, if any. */
export const statusOf = (error: unknown): number | undefined => partsOf(error).status

/** No one reads more of an error. */
const longestMessage = 20_000

function understood(error: unknown, signal: AbortSignal): McpFailure {
  if (signal.aborted) return { kind: "aborted", message: "It was interrupted." }
  const { code, message, status } = partsOf(error)
  if (code === needsLoginCode || status === 401) return { kind: "needs_login", message: "The server wants a login." }
  if (error instanceof Error && "requiredScope" in error)
    return { kind: "needs_login", message: "The server wants more rights than your login has." }
  if (status === 403) return { kind: "refused", message: "The server denies access (403)." }
  if (status !== undefined) return { kind: lostStatuses.has(status) ? "closed" : "other", message: httpWords(status) }
  if (code === refusedCode) return { kind: "refused", message }
  if (code === unreachedCode) return { kind: "closed", message }
  if (lostCodes.has(code)) return { kind: "closed", message: `The address cannot be reached (${code}).` }
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" || code === "SEND_FAILED")
    return { kind: "closed", message: `The connection was lost: ${message}` }
  if (code === "REQUEST_TIMEOUT") return { kind: "timeout", message: "The server did not answer in time." }
  if (code === String(cutOffCode)) return { kind: "other", message }
  // Errors of the protocol carry numbers, and the server's own words.
  if (/^-?\d+$/.test(code)) return { kind: "refused", message: `The server says: ${message}` }
  return { kind: "other", message }
}

/** A restarted server no longer knows the session; the others say that it cannot answer now. */
const lostStatuses: ReadonlySet<number> = new Set([404, 502, 503, 504])

/** The runtime's codes for failed connections. */
const lostCodes: ReadonlySet<string> = new Set([
  "ConnectionRefused",
  "ConnectionClosed",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "ENOTFOUND",
  "FailedToOpenSocket",
  "UNKNOWN_CERTIFICATE_VERIFICATION_ERROR",
])

const httpWords = (status: number): string =>
  status === 404 ? "The server does not know this address or session (404)." : `The server answered ${status}.`

interface ErrorParts {
  readonly code: string
  readonly message: string
  readonly status: number | undefined
}

/** By the fields of errors, never by the names of their classes, which do not survive the build. */
function partsOf(error: unknown): ErrorParts {
  if (!(error instanceof Error)) return { code: "", message: String(error), status: undefined }
  const code = "code" in error ? String(error.code) : ""
  const statusField = "status" in error && typeof error.status === "number" ? error.status : undefined
  // The older transport puts the status of HTTP where others have a code.
  return { code, message: error.message, status: statusField ?? (/^[45]\d\d$/.test(code) ? Number(code) : undefined) }
}
