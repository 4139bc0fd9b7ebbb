/** Erasing sessions, people and what is old. */

import type { ErasedSession } from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"
import type { NoSuchSession } from "./failures.ts"

/** What is erased is gone from every table; the audit says only that somebody did it. */
export interface FleetErasing {
  /** With the members of its team. Whoever runs it is fenced off. With `quietMs`, only if it is over and nothing has happened in it for so long. */
  readonly one: (id: string, by: string, quietMs?: number) => Promise<Result<void, NoSuchSession>>
  /** Sessions that have been over for so long. */
  readonly old: (forMs: number, limit: number) => Promise<readonly string[]>
  /** Removes the oldest lines of the audit that are older; returns how many. */
  readonly audit: (forMs: number, limit: number) => Promise<number>
  /** Removes what is remembered of letters that were sent about something that waits no more; returns how many. */
  readonly sent: (limit: number) => Promise<number>
  /** Sessions, tokens and the name of a user, in the audit too. Returns how many sessions there were. */
  readonly person: (name: string, by: string) => Promise<number>
  /** Those that were erased, in order, so that every machine removes what it has of them. */
  readonly after: (seq: number, limit: number) => Promise<readonly ErasedSession[]>
  /** Its repository has nothing of it any more. */
  readonly unpublished: (sessionId: string) => Promise<void>
}
