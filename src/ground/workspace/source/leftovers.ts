/** What a session left in its folder that git has no place for: ignored files, empty folders, permissions. */

import type { Dirent, Stats } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { generatedFolders } from "#lib/generated-folders.ts"

export interface Leftovers {
  /** Files that are ignored and travel, relative to the folder. */
  readonly ignored: readonly string[]
  readonly emptyFolders: readonly string[]
  /** Permissions that a new file or folder would not have here. */
  readonly modes: readonly (readonly [path: string, mode: number])[]
  /** What stays here, with a slash after folders. */
  readonly stays: readonly string[]
  /** Part of `stays`: git cannot read them. */
  readonly unreadable: readonly string[]
  /** Part of `stays`: repositories inside this one. */
  readonly repositories: readonly string[]
}

/** An ignored folder with more is left here: it was most likely generated. */
const mostFiles = 500
const mostBytes = 20_000_000
const mostFileBytes = 10_000_000
/** Of all ignored files together. */
const mostIgnoredBytes = 100_000_000

interface Found {
  readonly ignored: string[]
  readonly emptyFolders: string[]
  readonly modes: [path: string, mode: number][]
  readonly stays: string[]
  readonly unreadable: string[]
  readonly repositories: string[]
  files: number
  bytes: number
}

const nothing = (): Found => ({
  ignored: [],
  emptyFolders: [],
  modes: [],
  stays: [],
  unreadable: [],
  repositories: [],
  files: 0,
  bytes: 0,
})

/** `listed`: what git ignores there, folders with a slash at the end. */
export async function findLeftovers(root: string, listed: readonly string[], umask: number): Promise<Leftovers> {
  const ignoredPaths = new Set(listed)
  let ignoredBytes = 0

  async function walk(folder: string, isIgnored: boolean, into: Found): Promise<void> {
    const entries = await namesIn(join(root, folder))
    if (entries === undefined) {
      into.stays.push(`${folder}/`)
      into.unreadable.push(`${folder}/`)
      return
    }
    if (entries.length === 0 && folder !== "") into.emptyFolders.push(folder)
    if (folder !== "" && entries.some(({ name }) => name === ".git")) {
      into.stays.push(`${folder}/`)
      into.repositories.push(folder)
      return
    }
    for (const entry of entries) {
      if (entry.name === ".git") continue
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) await enter(path, isIgnored || ignoredPaths.has(`${path}/`), isIgnored, into)
      else await addFile(path, isIgnored || ignoredPaths.has(path), into)
      if (isIgnored && (into.files > mostFiles || into.bytes > mostBytes)) return
    }
  }

  async function enter(path: string, isIgnored: boolean, isBelowIgnored: boolean, into: Found): Promise<void> {
    const name = path.slice(path.lastIndexOf("/") + 1)
    if (isIgnored && generatedFolders.has(name)) {
      into.stays.push(`${path}/`)
      return
    }
    const stats = await statsOf(join(root, path))
    if (!stats) return
    const own = isIgnored && !isBelowIgnored ? nothing() : into
    note(own, path, stats, 0o777)
    await walk(path, isIgnored, own)
    if (own === into) return
    if (own.files > mostFiles || own.bytes > mostBytes || ignoredBytes + own.bytes > mostIgnoredBytes)
      into.stays.push(`${path}/`)
    else {
      ignoredBytes += own.bytes
      for (const list of ["ignored", "emptyFolders", "stays", "unreadable", "repositories"] as const)
        into[list].push(...own[list])
      into.modes.push(...own.modes)
    }
  }

  async function addFile(path: string, isIgnored: boolean, into: Found): Promise<void> {
    const stats = await statsOf(join(root, path))
    if (!stats) return
    const isPlain = stats.isFile() || stats.isSymbolicLink()
    if (!isPlain || (stats.isFile() && (stats.mode & 0o400) === 0)) {
      into.stays.push(path)
      into.unreadable.push(path)
      return
    }
    if (stats.isFile()) note(into, path, stats, 0o666)
    if (!isIgnored) return
    if (stats.size > mostFileBytes) {
      into.stays.push(path)
      return
    }
    into.ignored.push(path)
    into.files++
    into.bytes += stats.size
  }

  /** What a program makes with the usual permissions has them elsewhere too, whatever the usual ones are there. */
  function note(into: Found, path: string, stats: Stats, most: number): void {
    const mode = stats.mode & 0o7777
    const usual = (most | (stats.isFile() && mode & 0o100 ? 0o111 : 0)) & ~umask
    if (mode !== usual) into.modes.push([path, mode])
  }

  const found = nothing()
  await walk("", false, found)
  return found
}

async function namesIn(folder: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    return undefined
  }
}

/** Undefined if it went away meanwhile. */
const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)
