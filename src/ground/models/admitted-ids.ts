/** Ids of calls and messages: each leaves the port exactly once, so that none can be mistaken for another. */

import type { Ids } from "#lib/ids.ts"
import { openKnownIds } from "./known-ids.ts"

/** Knows every id that was ever used. */
export interface AdmittedIds {
  readonly note: (id: string) => void
  /** The received id, or a fresh one when it was used before or is malformed. */
  readonly admit: (id: unknown) => string
}

const wellFormed = /^[a-zA-Z0-9_-]{1,64}$/

/** Fresh ids start with the prefix, like the provider's. */
export function openAdmittedIds(ids: Ids, prefix: "toolu" | "msg"): AdmittedIds {
  const used = openKnownIds()
  const fresh = (): string => {
    // The count keeps an id fresh even when the source of ids repeats itself.
    for (let count = 0; ; count++) {
      const id = `${prefix}_${`${count || ""}${ids.uuid().replaceAll("-", "")}`.slice(0, 24)}`
      if (!used.has(id)) return id
    }
  }
  return {
    note(id) {
      used.add(id)
    },
    admit(id) {
      const admitted = typeof id === "string" && wellFormed.test(id) && !used.has(id) ? id : fresh()
      used.add(admitted)
      return admitted
    },
  }
}
