/** The files of sessions that work in a repository. */

import type { Lease, SessionOpening } from "#fleet/records.ts"
import type { Lane } from "#ground/workspace/source/checkout.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced } from "./failures.ts"

/** The files of a session that works in a repository. */
export interface FleetTrees {
  /** The commit it begins with: the given one, unless another was kept before. */
  readonly begin: (lease: Lease, base: string) => Promise<Result<string, Fenced>>
  readonly get: (sessionId: string) => Promise<FleetTree | undefined>
  /** Oldest first; each builds on the ones before. */
  readonly parts: (sessionId: string, lane: Lane) => Promise<readonly Uint8Array[]>
  /** Doing it again is harmless. Nothing is behind any more once the files are kept. */
  readonly keep: (lease: Lease, news: TreeNews) => Promise<Result<void, Fenced>>
  /** The newest files are only where they are now, and this is why. */
  readonly fallBehind: (lease: Lease, why: string) => Promise<Result<void, Fenced>>
  /** Of sessions that were cancelled so long ago that nobody needs their files any more. */
  readonly unneeded: (forMs: number, limit: number) => Promise<readonly UnneededTree[]>
  readonly forget: (sessionId: string) => Promise<void>
}

export interface FleetTree {
  readonly base: string
  /** Absent if nothing was kept yet. */
  readonly files?: KeptIn
  readonly beside?: KeptIn
  readonly behind?: string
}

export interface KeptIn {
  readonly state: string
  readonly place: TreePlace
  /** In the database. */
  readonly bytes: number
}

/** The database, or a ref of the source. */
export type TreePlace = "database" | "source"

export interface TreeNews {
  readonly lane: Lane
  /** None if this lane is not kept any more. */
  readonly state: string | undefined
  readonly place: TreePlace
  readonly part?: Uint8Array
  /** Whether earlier parts are needed no more. */
  readonly replaces: boolean
}

export interface UnneededTree {
  readonly sessionId: string
  readonly opening: SessionOpening
  readonly place: TreePlace
}
