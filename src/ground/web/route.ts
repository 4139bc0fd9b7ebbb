/** The parameters of a download; separate from its implementation, which is loaded when something is fetched. */

import type { Clock } from "#lib/clock.ts"
import type { Network, Purpose } from "#lib/network.ts"
import type { AddressPolicy } from "./addresses.ts"
import type { Resolve } from "./resolve.ts"

export interface DownloadLimits {
  /** Of the body, compressed and decompressed. */
  readonly bytes: number
  /** In total. */
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

export interface Route {
  readonly clock: Clock
  /** The system's resolver when absent. */
  readonly resolve?: Resolve
  readonly policy: AddressPolicy
  readonly limits: DownloadLimits
  readonly headers: Readonly<Record<string, string>>
  readonly network: Network
  readonly purpose: Purpose
}
