/** How long a fleet keeps what is finished. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { programNames } from "./records.ts"
import type { FleetStore } from "./store.ts"

/** Forever when absent. */
export interface Retention {
  readonly sessionDays?: number | undefined
  readonly auditDays?: number | undefined
}

export interface Pruned {
  readonly sessions: number
  readonly auditLines: number
}

const dayMs = 24 * 60 * 60 * 1000
const atOnce = 100

/** Erases what is older, session by session, so that nobody waits for all of it. */
export async function prune(
  { erasing }: Pick<FleetStore, "erasing">,
  { sessionDays, auditDays }: Retention,
  signal: AbortSignal,
): Promise<Pruned> {
  let sessions = 0
  while (sessionDays !== undefined && !signal.aborted) {
    const old = await erasing.old(sessionDays * dayMs, atOnce)
    const before = sessions
    for (const id of old)
      if (!signal.aborted && (await erasing.one(id, programNames.retention, sessionDays * dayMs)).ok) sessions++
    if (old.length < atOnce || sessions === before) break
  }
  const auditLines =
    auditDays === undefined ? 0 : await batched((limit) => erasing.audit(auditDays * dayMs, limit), signal)
  await batched(erasing.sent, signal)
  return { sessions, auditLines }
}

const linesAtOnce = 1_000

async function batched(remove: (limit: number) => Promise<number>, signal: AbortSignal): Promise<number> {
  for (let removed = 0; ;) {
    const now = signal.aborted ? 0 : await remove(linesAtOnce)
    removed += now
    if (now < linesAtOnce) return removed
  }
}

const firstMs = 60_000
const everyMs = 60 * 60 * 1000

/** Returns how to end it. */
export function pruneNowAndThen(parts: {
  readonly store: FleetStore
  readonly retention: Retention
  readonly clock: Clock
  readonly report: (text: string) => void
}): () => Promise<void> {
  const { store, retention, clock, report } = parts
  const ending = new AbortController()
  const pruning = (async () => {
    for (let pauseMs = firstMs; ; pauseMs = everyMs) {
      await clock.sleep(pauseMs, ending.signal)
      if (ending.signal.aborted) return
      await prune(store, retention, ending.signal).catch((error: unknown) => {
        if (!(error instanceof DatabaseLost)) report(`Old sessions could not be erased: ${String(error)}`)
      })
    }
  })()
  return async () => {
    ending.abort()
    await pruning
  }
}
