/** What may fail without harm: something that is done, or read of the disk, where missing and forbidden count as nothing. */

import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs"

/** Whoever calls it says why. */
export function quietly(work: () => void): void {
  orElse(work, undefined)
}

/** In the system's order. */
export const namesIn = (folder: string): readonly string[] => orElse(() => readdirSync(folder), [])

export const entriesIn = (folder: string): readonly Dirent[] =>
  orElse(() => readdirSync(folder, { withFileTypes: true }), [])

/** Their names. A link to a folder is none. */
export const foldersIn = (folder: string): readonly string[] =>
  entriesIn(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

/** The system has many ways to say that there is none: a file in place of a folder, a circle of links, a name that is too long. */
export const statsOf = (path: string): Stats | undefined =>
  orElse(() => statSync(path, { throwIfNoEntry: false }), undefined)

/** Of a link itself. */
export const linkStatsOf = (path: string): Stats | undefined =>
  orElse(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

export const textOfFile = (file: string): string | undefined => orElse(() => readFileSync(file, "utf8"), undefined)

function orElse<T, E>(act: () => T, otherwise: E): T | E {
  try {
    return act()
  } catch {
    return otherwise
  }
}
