/** The folders that belong to the workspace besides its own: those given at the start, and those that the log says were added. */

import type { Entry } from "#agent/words/entry.ts"
import { standingBefore } from "#session/journal/journal.ts"
import type { Place, SessionOptions } from "./options.ts"

const foldersIn = (entries: readonly Entry[]): readonly string[] =>
  [...standingBefore(entries), ...entries].flatMap((entry) => (entry.kind === "folders" ? entry.added : []))

/** The options with the folders of the log, so that a resume need not be given them again. */
export function withFolders(options: SessionOptions, entries: readonly Entry[]): SessionOptions {
  const { place } = options
  const addedFolders = [...new Set([...place.addedFolders, ...foldersIn(entries)])]
  return { ...options, place: { ...place, addedFolders } }
}

/** The folders that the log does not know of. */
export function newFolders(added: readonly string[], entries: readonly Entry[]): readonly string[] {
  const known = new Set(foldersIn(entries))
  return added.filter((folder) => !known.has(folder))
}

/** The folders of the workspace as they are now: whoever keeps a list of them instead does not hear of what is added. */
export interface Folders {
  /** Besides its own. Always the same list, which grows. */
  readonly added: readonly string[]
  /** Its own first. */
  readonly all: () => readonly string[]
  readonly onAdded: (listener: () => void) => void
  readonly take: (entry: Entry) => void
}

export function openFolders({ cwd, addedFolders }: Pick<Place, "cwd" | "addedFolders">): Folders {
  const added = [...addedFolders]
  const listeners: (() => void)[] = []
  return {
    added,
    all: () => [cwd, ...added],
    onAdded: (listener) => void listeners.push(listener),
    take(entry) {
      if (entry.kind !== "folders") return
      const fresh = entry.added.filter((folder) => !added.includes(folder))
      added.push(...fresh)
      if (fresh.length > 0) for (const listener of listeners) listener()
    },
  }
}
