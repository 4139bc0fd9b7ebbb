/** Where a process of a fleet goes wrong, and what such a process is told: `fleet-process.ts` runs it. */

import type { StoreUse } from "./watched-store.ts"

/** A `use` of the store, by the server or by the worker; the nth since the file that asks for it was written. */
export interface FaultPoint {
  readonly by: "server" | "worker"
  readonly use: StoreUse | "webhooks.send"
  readonly nth: number
  /** Killed before or after it; `lost`: it is done, and the answer of the database does not arrive. */
  readonly when: "before" | "after" | "lost"
}

export interface ProcessOptions {
  /** Without one it has the embedded database. */
  readonly database?: string
  /** Without one it does not serve. */
  readonly port?: number
  /** 0: it does not work. */
  readonly slots: number
  /** The folder of the files that say where it goes wrong, each named after a session. */
  readonly faults: string
  /** A database that says nothing for so long is not there. */
  readonly silentMs?: number
  /** How far the clock of its machine is off; `jumping`: by other hours all the time. */
  readonly clock?: number | "jumping"
  /** Whether sessions of operators are confined, as they usually are; trials by the hundred are not. */
  readonly confines?: boolean
  /** An address that is told of what waits. */
  readonly hook?: string
}

/** Approvals of commands with this in them expire soon. */
export const hasty = "hasty"

export const users = ["ann", "bob"] as const
export type TrialUser = (typeof users)[number] | "root"

export const secretFor = (name: TrialUser): string => `the-secret-of-${name}`
