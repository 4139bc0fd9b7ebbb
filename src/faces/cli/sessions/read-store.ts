/** The snapshots of a session that is only looked at: nothing of the store is changed, also while others use it. */

import { existsSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { openStore, type Store } from "#ground/snapshots/store.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"

/** The store of the session's folder, unless it was resumed in another one. */
export function storeOf(entries: readonly Entry[], cwd: string, state: string): Store {
  const history = join(state, "file-history")
  const own = join(history, projectSlug(cwd))
  const first = snapshotIds(entries)[0]
  if (first === undefined || !existsSync(history)) return openStore(own)
  const others = readdirSync(history).map((name) => join(history, name))
  const stores = [own, ...others].filter((folder) => existsSync(folder)).map(openStore)
  return stores.find((store) => store.load(first).ok) ?? openStore(own)
}

export const snapshotIds = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.flatMap((entry) => (entry.kind === "snapshot" ? [entry.snapshotId] : []))),
]

export const shownIn =
  (cwd: string) =>
  (path: string): string =>
    path.startsWith(`${cwd}/`) ? relative(cwd, path) : path
