/** Further folders of the workspace: those given at the start, and those added according to the log. */

import type { Entry } from "#agent/words/entry.ts"
import { standingBefore } from "#session/journal/journal.ts"
import type { SessionPlace, SessionOptions } from "./options.ts"

const foldersIn = (entries: readonly Entry[]): readonly string[] =>
  [...standingBefore(entries), ...entries].flatMap((entry) => (entry.kind === "folders" ? entry.added : []))

/** The options with the folders of the log, so that a resume need not name them again. */
export function withFolders(options: SessionOptions, entries: readonly Entry[]): SessionOptions {
  const { place } = options
  const addedFolders = [...new Set([...place.addedFolders, ...foldersIn(entries)])]
  return { ...options, place: { ...place, addedFolders } }
}

export function newFolders(added: readonly string[], entries: readonly Entry[]): readonly string[] {
  const known = new Set(foldersIn(entries))
  return added.filter((folder) => !known.has(folder))
}

/** The folders of the workspace as they are now; copies of the list miss later additions. */
export interface Folders {
  /** Without its own. Always the same array, which grows. */
  readonly added: readonly string[]
  readonly all: () => readonly string[]
  readonly onAdded: (listener: () => void) => void
  readonly take: (entry: Entry) => void
}

export function openFolders({ cwd, addedFolders }: Pick<SessionPlace, "cwd" | "addedFolders">): Folders {
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
