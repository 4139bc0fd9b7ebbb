/** What getting a document takes; apart from the getting, whose modules are loaded when something is fetched. */

import type { Clock } from "#lib/clock.ts"
import type { AddressPolicy } from "./addresses.ts"
import type { Resolve } from "./resolve.ts"

export interface DownloadLimits {
  /** Of the body, on the wire and unpacked. */
  readonly bytes: number
  /** For everything together. */
  readonly milliseconds: number
  /** For one address to accept a connection. */
  readonly connectMilliseconds: number
  readonly redirects: number
}

export const defaultDownloadLimits: DownloadLimits = {
  bytes: 10_000_000,
  milliseconds: 60_000,
  connectMilliseconds: 10_000,
  redirects: 10,
}

/** What getting a document takes. */
export interface Route {
  readonly clock: Clock
  /** Asks the system unless given. */
  readonly resolve?: Resolve
  readonly policy: AddressPolicy
  readonly limits: DownloadLimits
  readonly headers: Readonly<Record<string, string>>
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string
}
