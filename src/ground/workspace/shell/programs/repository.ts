/** Whether git, when it only shows things, could start a program that a repository names. */

import { posix } from "node:path"
import { mayBorrow } from "#ground/workspace/git/borrowing.ts"
import type { Tracked } from "#ground/workspace/shell/analysis.ts"
import { isPlainConfig, isPlainOwnConfig, readConfig } from "./git-config.ts"
import { namesInIndex, repositoriesInIndex } from "./git-index.ts"

/** The disk, as far as needed here. Nothing throws; what cannot be read is undefined. */
export interface Disk {
  readonly readBytes: (path: string) => Uint8Array | undefined
  readonly isFolder: (path: string) => boolean
  readonly isLink: (path: string) => boolean
  /** Whether two paths lead to the same file or folder. */
  readonly isSame: (a: string, b: string) => boolean
}

const deepest = 4
const longestIndex = 100_000_000

/**
 * Filters, external diffs and text converters cannot be switched off from outside, and showing things runs them. So the
 * configuration must name none, here and in every repository recorded inside this one.
 */
export function repositoryRunsPrograms(folder: string, disk: Disk, home?: string): boolean {
  for (let root = folder; ; root = posix.dirname(root)) {
    const git = gitFolder(root, disk)
    if (git !== undefined) return !(isPlain(root, git, disk, 0) && isPlainPerson(home, disk))
    if (isBare(root, disk)) return true
    if (root === posix.dirname(root)) return false
  }
}

/** The names git tracks around a folder; undefined when unknown, none outside a repository. */
export function trackedNames(folder: string, disk: Disk): Tracked | undefined {
  for (let root = folder; ; root = posix.dirname(root)) {
    const git = gitFolder(root, disk)
    if (git !== undefined) {
      const index = disk.readBytes(posix.join(git, "index"))
      const prefix = root === folder ? "" : `${folder.slice(root === "/" ? 1 : root.length + 1)}/`
      if (!index) return { names: [], prefix }
      const names = index.length > longestIndex ? undefined : namesInIndex(index, hashBytes(configTexts(git, disk)))
      return names && { names, prefix }
    }
    if (root === posix.dirname(root)) return { names: [], prefix: "" }
  }
}

/** Where git takes files from by itself: its own folders around a place, and the files of a project that it reads. */
export function filesOfGit(
  folder: string,
  disk: Disk,
): { readonly folders: readonly string[]; readonly files: readonly string[] } {
  for (let root = folder; ; root = posix.dirname(root)) {
    const git = gitFolder(root, disk)
    if (git !== undefined) {
      const shared = posix.resolve(git, readText(posix.join(git, "commondir"), disk)?.trim() ?? ".")
      const files = [".git", ...readByGit].map((name) => posix.join(root, name))
      return { folders: [...new Set([git, shared])], files }
    }
    if (root === posix.dirname(root)) return { folders: [], files: [] }
  }
}

const readByGit: readonly string[] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"]

/** The git folder of a working folder; undefined when it has none of its own. */
function gitFolder(root: string, disk: Disk): string | undefined {
  const path = posix.join(root, ".git")
  if (disk.isFolder(path)) return path
  const text = readText(path, disk)
  if (text === undefined) return undefined
  const [, target] = /^gitdir: (.+?)\s*$/.exec(text) ?? []
  return target === undefined ? path : posix.resolve(root, target)
}

/** A folder that is itself a repository, as a hostile project may contain one. */
function isBare(folder: string, disk: Disk): boolean {
  return (
    disk.isFolder(posix.join(folder, "objects")) &&
    disk.isFolder(posix.join(folder, "refs")) &&
    disk.readBytes(posix.join(folder, "HEAD")) !== undefined
  )
}

/** The user's global configuration is trusted, unless it leads back into a project. */
function isPlainPerson(home: string | undefined, disk: Disk): boolean {
  if (home === undefined) return true
  return [".gitconfig", ".config/git/config"].every((name) => {
    const text = readText(posix.join(home, name), disk)
    return text === undefined || isPlainOwnConfig(text)
  })
}

function isPlain(root: string, git: string, disk: Disk, depth: number): boolean {
  if (depth > deepest || !disk.isFolder(git) || !belongs(root, git, disk)) return false
  const texts = configTexts(git, disk)
  const around = {
    isOwnFolder: (path: string): boolean => disk.isSame(posix.resolve(git, path), root),
    isOwnFile: (path: string): boolean => isOwnFile(root, path, disk),
  }
  if (!texts.every((text) => isPlainConfig(text, around))) return false
  const index = disk.readBytes(posix.join(git, "index"))
  if (!index) return true
  if (index.length > longestIndex) return false
  const inside = repositoriesInIndex(index, hashBytes(texts))
  return inside !== undefined && inside.every((path) => isPlainInside(posix.join(root, path), disk, depth + 1))
}

/**
 * A repository elsewhere is only read when it says itself that it belongs here, as worktrees and submodules do:
 * otherwise a project could show the content of any other repository. The same applies to borrowed objects.
 */
function belongs(root: string, git: string, disk: Disk): boolean {
  const own = posix.join(root, ".git")
  if (disk.isLink(own)) return false
  const shared = posix.resolve(git, readText(posix.join(git, "commondir"), disk)?.trim() ?? ".")
  const borrowed = readText(posix.join(shared, "objects/info/alternates"), disk)
  // The worktrees of a repository read what it reads.
  const borrower = posix.basename(shared) === ".git" ? posix.dirname(shared) : root
  if (borrowed !== undefined && !mayBorrow(borrower, borrowed, disk)) return false
  if (git === own) return shared === git
  const back = readText(posix.join(git, "gitdir"), disk)?.trim()
  if (back !== undefined) return disk.isSame(posix.resolve(git, back), own)
  const worktree = configTexts(git, disk)
    .flatMap((text) => readConfig(text) ?? [])
    .findLast(({ section, subsection, key }) => section === "core" && subsection === undefined && key === "worktree")
  return worktree !== undefined && disk.isSame(posix.resolve(git, worktree.value), root)
}

/** A path from the root of a repository that leads nowhere else. */
function isOwnFile(root: string, path: string, disk: Disk): boolean {
  const names = path.split("/")
  if (!names.every((name) => /^[\w.@+-]+$/.test(name) && name !== "." && name !== "..")) return false
  return names.every((_, i) => !disk.isLink(posix.join(root, ...names.slice(0, i + 1))))
}

/** Including those of its worktrees. */
function configTexts(git: string, disk: Disk): readonly string[] {
  const shared = posix.resolve(git, readText(posix.join(git, "commondir"), disk)?.trim() ?? ".")
  return [posix.join(shared, "config"), posix.join(git, "config.worktree"), posix.join(shared, "config.worktree")]
    .map((path) => readText(path, disk))
    .filter((text) => text !== undefined)
}

/** An inner repository is checked too: git asks it for its state. One that is not checked out has none. */
function isPlainInside(root: string, disk: Disk, depth: number): boolean {
  const git = gitFolder(root, disk)
  return git === undefined || isPlain(root, git, disk, depth)
}

function hashBytes(texts: readonly string[]): 20 | 32 {
  const entries = texts.flatMap((text) => readConfig(text) ?? [])
  return entries.some(
    ({ section, key, value }) => section === "extensions" && key === "objectformat" && value === "sha256",
  )
    ? 32
    : 20
}

function readText(path: string, disk: Disk): string | undefined {
  const bytes = disk.readBytes(path)
  return bytes && new TextDecoder().decode(bytes)
}
