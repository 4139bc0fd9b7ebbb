/**
 * A change of large tables is one statement that may take minutes, while its connection is silent. So another one asks now and then whether the server
 * is still at it.
 */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { isCrowded } from "./attempts.ts"

export interface LongWorkParts {
  /** A client of its own, made when it is first used; not through a pooler, which may have no connection to spare. */
  readonly connect: () => SQL
  readonly clock: Clock
  readonly everyMs: number
}

/** Calls `answered` for as long as the backend with this process id is executing something. The returned function ends it. */
export function openLongWork(
  { connect, clock, everyMs }: LongWorkParts,
  pid: number,
  answered: () => void,
): () => void {
  const over = new AbortController()
  void (async () => {
    for (;;) {
      await clock.sleep(everyMs, over.signal)
      if (over.signal.aborted) return
      if (await isAtIt(connect(), pid)) answered()
    }
  })()
  return () => over.abort()
}

async function isAtIt(client: SQL, pid: number): Promise<boolean> {
  try {
    // What it has answered and we have not heard is lost: then it waits for us.
    const found: { readonly length: number } = await client.unsafe(
      "select from pg_stat_activity where pid = $1::integer and state = 'active'",
      [pid],
    )
    return found.length > 0
  } catch (error) {
    return isCrowded(error)
  } finally {
    void client.close({ timeout: 0 }).catch(() => undefined)
  }
}
