/**
 * A folder kept open while it is being changed. Names in it are reached through the open folder, so that no one can
 * swap in a link to elsewhere in the meantime. On systems without such a way, the path is checked instead.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  utimesSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import { codeOf } from "#lib/error-code.ts"
import { permissions } from "./state.ts"

export interface PinnedFolder {
  readonly at: (name: string) => string
}

/** A link has appeared on the way: nothing may be touched. */
export class MovedError extends Error {}

/** Opens without read permission (O_PATH); the runtime has no constant for it. */
const pathOnly = 0o10000000

/** A read-only folder is made writable for the duration. */
export function inFolder<T>(folder: string, act: (folder: PinnedFolder) => T): T {
  const fd = openFolder(folder)
  const at = (name: string): string => (isLinux ? `/proc/self/fd/${fd}/${name}` : `${folder}/${name}`)
  try {
    try {
      return act({ at })
    } catch (error) {
      const mode = permissions(fstatSync(fd).mode)
      if (codeOf(error) !== "EACCES" || (mode & 0o300) === 0o300) throw error
      changeMode(fd, mode | 0o700)
      try {
        return act({ at })
      } finally {
        changeMode(fd, mode)
      }
    }
  } finally {
    closeSync(fd)
  }
}

/** And the time, if given. Never follows a link. */
export function setMode(path: string, mode: number, kind: "file" | "folder", modifiedMs?: number): void {
  inFolder(dirname(path), ({ at }) => {
    const fd = openSync(at(basename(path)), isLinux ? pathOnly | constants.O_NOFOLLOW : constants.O_NOFOLLOW)
    try {
      const stats = fstatSync(fd)
      if (kind === "file" ? !stats.isFile() : !stats.isDirectory()) throw new MovedError(path)
      changeMode(fd, mode)
      if (modifiedMs !== undefined) changeTime(fd, modifiedMs / 1000)
    } finally {
      closeSync(fd)
    }
  })
}

/** Also creates missing parents; returns the topmost folder created. */
export function makeFolder(path: string, mode: number | undefined): string | undefined {
  try {
    closeSync(openFolder(path))
    return undefined
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  const above = makeFolder(dirname(path), undefined)
  inFolder(dirname(path), ({ at }) => mkdirSync(at(basename(path)), 0o777))
  if (mode !== undefined) setMode(path, mode, "folder")
  return above ?? path
}

const isLinux = process.platform === "linux"

function openFolder(folder: string): number {
  const flags = constants.O_DIRECTORY | constants.O_NOFOLLOW
  const fd = openSync(folder, isLinux ? pathOnly | flags : constants.O_RDONLY | flags)
  try {
    const real = isLinux ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(folder)
    if (real !== folder) throw new MovedError(folder)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function changeTime(fd: number, seconds: number): void {
  if (isLinux) utimesSync(`/proc/self/fd/${fd}`, seconds, seconds)
  else futimesSync(fd, seconds, seconds)
}

function changeMode(fd: number, mode: number): void {
  if (isLinux) chmodSync(`/proc/self/fd/${fd}`, mode)
  else fchmodSync(fd, mode)
}
