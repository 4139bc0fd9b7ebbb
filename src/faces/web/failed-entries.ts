/** Those who tried to come in and could not, in the audit: each address now and then, with how often. */

import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import { optional } from "#lib/optional.ts"
import { openLimit } from "./limits.ts"

export interface FailedEntries {
  readonly note: (what: string, address: string, reason?: string) => Promise<void>
}

/** Somebody who knocks all day fills no table: five lines, then one a minute from one address. */
const pace = { burst: 5, perSecond: 1 / 60 }
/** However many addresses they come from. */
const paceOfAll = { burst: 200, perSecond: 1 }
const mostCounted = 10_000

/** Nobody has this name. */
const nobody = "?"

export function openFailedEntries({
  store,
  clock,
}: {
  readonly store: FleetStore
  readonly clock: Clock
}): FailedEntries {
  const each = openLimit(pace, clock)
  const all = openLimit(paceOfAll, clock)
  const unsaid = new Map<string, number>()
  return {
    async note(what, address, reason) {
      const key = `${what} ${address}`
      if (!each.isOpen(address) || !all.isOpen("")) {
        if (unsaid.size >= mostCounted) unsaid.clear()
        unsaid.set(key, (unsaid.get(key) ?? 0) + 1)
        return
      }
      each.waitFor(address)
      all.waitFor("")
      const more = unsaid.get(key) ?? 0
      unsaid.delete(key)
      const words = more === 0 ? what : `${what}, and ${more} times before`
      await store.note(nobody, words, { address, ...optional("reason", reason) })
    },
  }
}
