/** What can be read of the disk, where nothing else is asked: what is missing, or is not ours to read, is nothing. */

import { type Dirent, readdirSync, readFileSync } from "node:fs"

/** In the system's order. */
export const namesIn = (folder: string): readonly string[] => orElse(() => readdirSync(folder), [])

export const entriesIn = (folder: string): readonly Dirent[] =>
  orElse(() => readdirSync(folder, { withFileTypes: true }), [])

/** Their names. A link to a folder is none. */
export const foldersIn = (folder: string): readonly string[] =>
  entriesIn(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

export const textOfFile = (file: string): string | undefined => orElse(() => readFileSync(file, "utf8"), undefined)

function orElse<T, E>(read: () => T, otherwise: E): T | E {
  try {
    return read()
  } catch {
    return otherwise
  }
}
