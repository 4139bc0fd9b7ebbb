/** Finds out by one listing which names a folder lacks. To look for a hundred secrets one by one takes longer than a command. */

/** A folder at one moment: whether surely nothing is there under a name, however the file system compares names. */
export type Absence = (name: string) => boolean

/** So many names are looked for one by one before a listing is worth it. */
const fewNames = 8

/** Folders grow with their entries, and a larger one than this is not worth listing. */
export const largestListed = 65_536

/** `list`: all names in the folder; undefined if it cannot or should not be listed. */
export function openAbsence(list: () => readonly string[] | undefined): Absence {
  let asked = 0
  let names: ReadonlySet<string> | "unknown" | undefined
  return (name) => {
    if (!plainName.test(name) || ++asked <= fewNames) return false
    names ??= folded(list())
    return names !== "unknown" && !names.has(name.toLowerCase())
  }
}

/** Only the file system knows which names beyond ASCII it takes for the same as one within. */
const folded = (names: readonly string[] | undefined): ReadonlySet<string> | "unknown" =>
  names?.every((name) => ascii.test(name)) ? new Set(names.map((name) => name.toLowerCase())) : "unknown"

const ascii = /^[\x20-\x7e]*$/
/** Without what some file systems leave out or use for second names: dots at the end, spaces, tildes. */
const plainName = /^[\w.-]*[\w-]$/
