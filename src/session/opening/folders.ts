/** Further folders of the workspace: those given at the start, and those added according to the log. */

import type { Entry } from "#agent/words/entry.ts"
import { restatedEntries } from "#session/journal/journal.ts"
import type { SessionPlace, SessionOptions } from "./options.ts"

function foldersIn(entries: readonly Entry[]): readonly string[] {
  const folders = new Set<string>()
  for (const entry of [...restatedEntries(entries), ...entries]) {
    if (entry.kind !== "folders") continue
    for (const folder of entry.added) folders.add(folder)
    for (const folder of entry.removed ?? []) folders.delete(folder)
  }
  return [...folders]
}

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
  /** Without its own. Always the same array, which changes. */
  readonly added: readonly string[]
  readonly all: () => readonly string[]
  /** Those inside its own: projects within the project. */
  readonly inner: () => readonly string[]
  /** Called when there are more or fewer. */
  readonly onAdded: (listener: () => void) => void
  readonly onEntry: (entry: Entry & { readonly kind: "folders" }) => void
}

export function openFolders({ cwd, addedFolders }: Pick<SessionPlace, "cwd" | "addedFolders">): Folders {
  const added = [...addedFolders]
  const listeners: (() => void)[] = []
  return {
    added,
    all: () => [cwd, ...added],
    inner: () => added.filter((folder) => folder.startsWith(`${cwd}/`)),
    onAdded: (listener) => void listeners.push(listener),
    onEntry(entry) {
      const fresh = entry.added.filter((folder) => !added.includes(folder))
      added.push(...fresh)
      const removed = new Set(entry.removed)
      for (const at of added.keys().toArray().toReversed()) if (removed.has(added[at] ?? "")) added.splice(at, 1)
      if (fresh.length + removed.size > 0) for (const listener of listeners) listener()
    },
  }
}
