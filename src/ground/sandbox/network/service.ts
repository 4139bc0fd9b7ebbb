/** What the parts of the proxy share. */

import type { Vault } from "#ground/sandbox/credentials/vault.ts"
import type { Clock } from "#lib/clock.ts"
import type { ConnectionWish, Gate } from "./gate.ts"

export interface Service {
  readonly gate: Gate
  readonly clock: Clock
  /** Called when a tunnel was used for another host than the one it was made for. */
  readonly misnamed: (wish: ConnectionWish) => void
  /** Credentials that were handed in as sentinels; undefined as long as there are none. */
  readonly credentials: () => Credentials | undefined
}

export interface Credentials extends Pick<Vault, "of" | "certificateFor" | "roots"> {
  /** A path for a socket that only we use. */
  readonly socket: () => string
}
