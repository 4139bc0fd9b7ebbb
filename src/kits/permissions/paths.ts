/** Paths in all their forms: as given and as they really are, compared name by name. */

import { posix } from "node:path"

/** Gives the real path, with links resolved as far as it exists, a dangling last link too, and the rest appended. Never throws. */
export type RealPath = (path: string) => string

/** Where a session works, and what the person wants kept safe there. */
export interface Workspace {
  /** The working folder the session was opened in. */
  readonly root: string
  /** Further folders that count as inside. */
  readonly added: readonly string[]
  readonly home: string
  /** Files and folders that are protected besides the known ones: the state folder, the managed policy. */
  readonly protectedPaths: readonly string[]
  /** Files and folders of the session itself, free to use in every mode: its plan file, its kept results. */
  readonly own: readonly string[]
  /** Whether the file system takes `A` and `a` for the same. */
  readonly ignoresCase?: boolean
}

/** Every form of an absolute path that has to be judged: as written, tidied, and real. */
export function formsOf(path: string, realPath: RealPath): readonly string[] {
  const tidy = tidied(path)
  return [...new Set([tidy, tidied(realPath(path)), tidied(realPath(tidy))])]
}

/** The names of a path below a folder; none for the folder itself; undefined when it lies elsewhere. */
export function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const outer = namesOf(folder)
  const inner = namesOf(path)
  return outer.every((name, i) => inner[i] === name) ? inner.slice(outer.length) : undefined
}

/** Whether every form of a path lies in one of the folders, in any of their forms. */
export function isInside(path: string, folders: readonly string[], realPath: RealPath): boolean {
  const all = folders.flatMap((folder) => formsOf(folder, realPath))
  return formsOf(path, realPath).every((form) => all.some((folder) => namesBelow(folder, form) !== undefined))
}

export const namesOf = (path: string): readonly string[] => path.split("/").filter((name) => name !== "")

function tidied(path: string): string {
  const tidy = posix.normalize(path)
  return tidy.length > 1 && tidy.endsWith("/") ? tidy.slice(0, -1) : tidy
}
