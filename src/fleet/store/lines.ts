/** The logs of sessions, and what passes in them. */

import type { FleetEvent, Lease } from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced } from "./failures.ts"

export type ShipFailure =
  | Fenced
  /** Lines are missing before these. */
  | { readonly kind: "gap"; readonly expected: number }
  /** A line with this number is there, and is another one. */
  | { readonly kind: "diverged"; readonly at: number }

export interface FleetLines {
  /** `from` is the number of the first line, counted from 1. Lines that have arrived already are not stored again. */
  readonly ship: (lease: Lease, from: number, lines: readonly string[]) => Promise<Result<void, ShipFailure>>
  /** What passes, as JSON; false if nobody looks at the session, and then it was not kept. */
  readonly pass: (lease: Lease, moments: readonly string[]) => Promise<Result<boolean, Fenced>>
  readonly isWatched: (sessionId: string) => Promise<boolean>
  readonly after: (sessionId: string, line: number, limit: number) => Promise<readonly string[]>
  readonly events: (sessionId: string, after: number, limit: number) => Promise<readonly FleetEvent[]>
}
