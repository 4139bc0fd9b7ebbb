/** What the person did to the files themselves, between what the agent did: done again when it was done then. */

import type { Entry } from "#agent/words/entry.ts"
import { materialise } from "#ground/snapshots/materialise.ts"
import { openStore } from "#ground/snapshots/store.ts"
import type { Act } from "#session/replay/acts.ts"
import { snapshotIds } from "./read-store.ts"

export interface PersonsChanges {
  /** Does what was done since the act before this one, as far as snapshots tell. */
  readonly before: (act: Act) => Promise<void>
}

export function openPersonsChanges(parts: {
  readonly entries: readonly Entry[]
  /** The store of the original's snapshots. */
  readonly folder: string
  readonly from: string
  readonly to: string
}): PersonsChanges {
  const { entries, folder, from, to } = parts
  const store = openStore(folder)
  const ids = new Set(snapshotIds(entries))
  const times = new Map(
    entries.flatMap((entry) => (entry.kind === "snapshot" ? [[entry.snapshotId, entry.at] as const] : [])).toReversed(),
  )
  const waiting = [...ids].flatMap((id) => {
    const manifest = store.load(id)
    // One that goes on from another session tells what was different there, not what was done here.
    const isOwn = manifest.ok && manifest.value.by === "person" && ids.has(manifest.value.base ?? "")
    return isOwn ? [{ at: times.get(id) ?? 0, changed: manifest.value.changed }] : []
  })
  const prompts = entries.flatMap((entry) => (entry.kind === "prompt" ? [entry.at] : []))
  return {
    async before({ at }) {
      // A snapshot is taken a moment after the prompt that it belongs to.
      const next = prompts.find((other) => other > at) ?? Number.POSITIVE_INFINITY
      while (waiting[0] && waiting[0].at < next) {
        const { changed } = waiting.shift() ?? { changed: new Map() }
        await materialise(changed, { from, to, content: store.content })
      }
    },
  }
}
