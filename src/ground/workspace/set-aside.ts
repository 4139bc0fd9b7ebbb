/**
 * Renames something so that no program uses it any more, in a folder that others may be moving at the same time: the
 * folder is held open and checked first, so nothing outside it can be touched through a link.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs"
import { realPath } from "./paths.ts"

export interface SetAside {
  /** The folder with links resolved. */
  readonly folder: string
  readonly name: string
  /** What takes its place. */
  readonly instead?: string
}

/** The new name; undefined if it could not be renamed, or the folder is another one by now. */
export function setAside({ folder, name, instead }: SetAside): string | undefined {
  return within(folder, (inside) => {
    if (lstatSync(inside(name), { throwIfNoEntry: false }) === undefined) return undefined
    const other = freeName(name, inside)
    if (other === undefined) return undefined
    renameSync(inside(name), inside(other))
    // Nothing is overwritten and no link is followed; without it git takes its usual settings.
    if (instead !== undefined) writeFileSync(inside(name), instead, { flag: "wx", mode: 0o644 })
    return other
  })
}

/** Lets the owner list a folder; whether it can be listed now. */
export const makeListable = (folder: string): boolean => within(folder, () => true) ?? false

const suffix = ".set-aside"
const mostNames = 100

function freeName(name: string, inside: (name: string) => string): string | undefined {
  for (let count = 1; count <= mostNames; count++) {
    const other = count === 1 ? `${name}${suffix}` : `${name}${suffix}-${count}`
    if (lstatSync(inside(other), { throwIfNoEntry: false }) === undefined) return other
  }
  return undefined
}

/** Opens a folder without the right to read it, which a program may have taken away. */
const openPath = 0o10000000

function within<T>(folder: string, act: (inside: (name: string) => string) => T): T | undefined {
  let open: number | undefined
  try {
    // Other systems have no names for open folders, so the path is checked, and then used at once.
    if (process.platform !== "linux")
      return realPath(folder) === folder ? act((name) => `${folder}/${name}`) : undefined
    open = openSync(folder, openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    const here = `/proc/self/fd/${open}`
    if (readlinkSync(here) !== folder) return undefined
    const { mode } = fstatSync(open)
    if ((mode & 0o700) !== 0o700) chmodSync(here, (mode & 0o7777) | 0o700)
    return act((name) => `${here}/${name}`)
  } catch {
    return undefined
  } finally {
    if (open !== undefined) closeSync(open)
  }
}
