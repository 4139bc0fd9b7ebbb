/** Whether the server can do its work, for load balancers: anybody may ask, so the database is asked at most once a second. */

import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import { refusal } from "./refusal.ts"
import { json, refusalResponse } from "./responses.ts"

const freshMs = 1_000
/** A database that says nothing for so long is not there. */
const silentMs = 2_000

export function openReadiness({
  store,
  clock,
}: {
  readonly store: Pick<FleetStore, "tokens">
  readonly clock: Clock
}): () => Promise<Response> {
  let last: { readonly at: number; readonly isThere: Promise<boolean> } | undefined

  async function checkDatabase(): Promise<boolean> {
    const over = new AbortController()
    const answered = store.tokens.owner("").then(
      () => true,
      () => false,
    )
    const isThere = await Promise.race([answered, clock.sleep(silentMs, over.signal).then(() => false)])
    over.abort()
    return isThere
  }

  return async () => {
    if (!last || Math.abs(clock.now() - last.at) >= freshMs) last = { at: clock.now(), isThere: checkDatabase() }
    return (await last.isThere)
      ? json(200, { ok: true })
      : refusalResponse(refusal("unavailable", "The database cannot be reached. Try again in a moment."))
  }
}
