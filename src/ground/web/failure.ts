/** What can go wrong on the web, as a union, with a message for the model that says what to do. */

import { never } from "#lib/never.ts"
import { type AddressRefusal, sayRefusal } from "./addresses.ts"

export type WebFailure =
  | { readonly kind: "refused"; readonly refusal: AddressRefusal; readonly redirectedFrom?: string }
  /** The page is on another host now, which was not contacted. */
  | { readonly kind: "moved"; readonly url: string; readonly target: string; readonly status: number }
  | { readonly kind: "redirects"; readonly url: string; readonly count: number }
  /** `text` is the start of the server's answer. */
  | {
      readonly kind: "status"
      readonly url: string
      readonly status: number
      readonly statusText: string
      readonly text: string
    }
  /** `bytes` as announced by the server, if it did. */
  | {
      readonly kind: "not_text"
      readonly url: string
      readonly mediaType: string
      readonly bytes: number | undefined
    }
  | { readonly kind: "too_large"; readonly url: string; readonly limit: number }
  | { readonly kind: "timed_out"; readonly host: string; readonly seconds: number }
  | { readonly kind: "unresolved"; readonly host: string; readonly why: string }
  | { readonly kind: "unreachable"; readonly host: string; readonly why: string }
  /** The answer is not valid HTTP, ended early, or uses an unsupported encoding. */
  | { readonly kind: "broken"; readonly host: string; readonly why: string }
  | { readonly kind: "aborted" }

export function sayWebFailure(failure: WebFailure): string {
  switch (failure.kind) {
    case "refused": {
      const words = sayRefusal(failure.refusal)
      return failure.redirectedFrom === undefined
        ? words
        : `${failure.redirectedFrom} redirects to a place that is not fetched. ${words}`
    }
    case "moved":
      return `${failure.url} redirects to another host, which was not followed: ${failure.target}\nTo read it, call WebFetch again with that address and the same prompt.`
    case "redirects":
      return `${failure.url} redirects without end (${failure.count} times). Try another address.`
    case "status":
      return `${failure.url} answered with status ${failure.status}${failure.statusText && ` ${failure.statusText}`}.${statusAdvice(failure.status)}${failure.text && `\nWhat it says:\n${failure.text}`}`
    case "not_text":
      return `${failure.url} is not text but ${failure.mediaType}${failure.bytes === undefined ? "" : ` (${megabytes(failure.bytes)})`}. If it is needed, download it with a program through Bash.`
    case "too_large":
      return `${failure.url} is larger than ${megabytes(failure.limit)} and was not read. Look for a smaller page, or download it with a program through Bash.`
    case "timed_out":
      return `${failure.host} did not answer in full within ${failure.seconds} s. Try later, or another source.`
    case "unresolved":
      return `The host ${failure.host} was not found (${failure.why}). Check the address.`
    case "unreachable":
      return `${failure.host} cannot be reached: ${failure.why}. Check the address, or try later.`
    case "broken":
      return `The answer of ${failure.host} cannot be read: ${failure.why}. Try another source.`
    case "aborted":
      return "Interrupted before the page was read."
    default:
      return never(failure)
  }
}

function statusAdvice(status: number): string {
  if (status === 401 || status === 403) return " The page is not open to everyone; a tool that can log in may get it."
  if (status === 404 || status === 410) return " There is no such page; check the address."
  if (status === 429 || status >= 500) return " Try later, or another source."
  return ""
}

function megabytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
