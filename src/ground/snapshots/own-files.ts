/**
 * Contents that are too large to be read, or not worth it, kept as files: each is a link to the file that had the content,
 * so it costs no space while that file exists, and no time at any size.
 *
 * A link shares its file with other names, so somebody may write to it. That changes when it was last modified, which is
 * part of the name here: what was written to is no longer the content.
 */

import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { codeOf } from "#lib/error-code.ts"
import type { Stamp } from "./state.ts"

export interface OwnFile {
  readonly path: string
  /** It is in a journal that is still written: whoever writes to a link of it must not change it. */
  readonly isLent: boolean
}

export interface OwnFiles {
  /** The content of a hash that is a name, if it is here and as it was; `stamp` is of the state that has it. */
  readonly find: (hash: string, stamp: Stamp) => OwnFile | undefined
  /** Stays where it is, in a folder that will be handed over. False if it is not there. */
  readonly lend: (hash: string, path: string) => boolean
  /** Takes over what was lent from a folder. */
  readonly takeOver: (folder: string) => void
  /** Adds a link of a file; false where that is not possible. */
  readonly link: (hash: string, path: string) => boolean
  readonly keepOnly: (hashes: ReadonlySet<string>) => void
}

/** Times are restored to the microsecond. */
const nearMs = 0.002

export function openOwnFiles(folder: string): OwnFiles {
  const lent = new Map<string, string>()
  let names: Map<string, string> | undefined
  /** The name of each file, by the content's. */
  const known = (): Map<string, string> =>
    (names ??= new Map(namesIn(folder).map((name) => [name.slice(0, name.lastIndexOf("@")), name])))

  function put(name: string, move: (to: string) => void, modifiedMs: number): void {
    const old = known().get(name)
    const file = `${name}@${modifiedMs}`
    if (old !== undefined) rmSync(join(folder, old), { force: true })
    try {
      move(join(folder, file))
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      move(join(folder, file))
    }
    known().set(name, file)
  }

  return {
    find(hash, stamp) {
      const name = hash.slice(1)
      const from = lent.get(name)
      if (from !== undefined) return { path: from, isLent: true }
      const file = known().get(name)
      const stats = file === undefined ? undefined : lstatSync(join(folder, file), { throwIfNoEntry: false })
      if (file === undefined || stats?.size !== stamp.bytes) return undefined
      const isAsKept = stats.mtimeMs === Number(file.slice(name.length + 1))
      const isAsRestored = Math.abs(stats.mtimeMs - stamp.modifiedMs) < nearMs
      return isAsKept || isAsRestored ? { path: join(folder, file), isLent: false } : undefined
    },
    lend(hash, path) {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
      lent.set(hash.slice(1), path)
      return true
    },
    takeOver(from) {
      for (const [name, path] of lent) {
        if (dirname(path) !== from) continue
        lent.delete(name)
        const stats = lstatSync(path, { throwIfNoEntry: false })
        if (stats) put(name, (to) => renameSync(path, to), stats.mtimeMs)
      }
    },
    link(hash, path) {
      const name = hash.slice(1)
      if (lent.has(name)) return true
      try {
        put(name, (to) => linkSync(path, to), lstatSync(path).mtimeMs)
        return true
      } catch {
        return false
      }
    },
    keepOnly(hashes) {
      const needed = new Set([...hashes].map((hash) => hash.slice(1)))
      for (const [name, file] of known()) {
        if (needed.has(name)) continue
        rmSync(join(folder, file), { force: true })
        known().delete(name)
      }
    },
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
