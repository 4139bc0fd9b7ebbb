/** What happened so far, whole: read from the log where there is one, because a session keeps only what it needs. */

import type { Entry } from "#agent/words/entry.ts"
import { loadLog } from "#ground/transcript/load.ts"
import type { Log } from "#ground/transcript/log.ts"
import { pathOf, pathTo } from "#ground/transcript/path.ts"
import type { Feed } from "./feed.ts"

export interface Past {
  /** Every entry, in the order of the log. */
  readonly entries: () => readonly Entry[]
  /** Those that lead to where the conversation is now. */
  readonly path: () => readonly Entry[]
  /** Those that lead to an entry, itself included; none lead to the beginning. */
  readonly pathTo: (uuid: string | null) => readonly Entry[]
}

export function openPast({ log, feed }: { readonly log: Log | undefined; readonly feed: Feed }): Past {
  const entries = (): readonly Entry[] => {
    const loaded = log && loadLog(log.path, { torn: "leave" })
    // A log that cannot be read any more still leaves what went by since the session was opened.
    return loaded?.ok ? loaded.value.entries : feed.entries()
  }
  return {
    entries,
    path: () => pathOf(entries()),
    pathTo: (uuid) => (uuid === null ? [] : (pathTo(entries(), uuid) ?? [])),
  }
}
