/** What can be known about a git repository by reading its files: nothing is ever run for this. */

import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

export interface Repository {
  /** The folder that contains `.git`. */
  readonly root: string
  /** The branch, or the abbreviated commit when none is checked out. */
  readonly branch: string
}

export function findRepository(folder: string): Repository | undefined {
  for (let root = folder; ; root = dirname(root)) {
    const head = readHead(join(root, ".git"))
    if (head !== undefined) return { root, branch: branchIn(head) }
    if (dirname(root) === root) return undefined
  }
}

/** Changes whenever a commit is made or another one is checked out, by whomever; undefined where git keeps no record. */
export function headMark(root: string): string | undefined {
  const folder = gitFolders(root)?.own
  const stat = folder && tried(() => statSync(join(folder, "logs/HEAD"), { throwIfNoEntry: false }))
  return stat ? `${stat.size} ${stat.mtimeMs}` : undefined
}

/** The branch that others start from: the remote's default, or the usual name that exists. */
export function mainBranchOf(root: string): string | undefined {
  const folder = gitFolders(root)?.shared
  if (folder === undefined) return undefined
  const remote = /^ref: refs\/remotes\/origin\/(.+)$/m.exec(
    tried(() => readSmall(join(folder, "refs/remotes/origin/HEAD"))) ?? "",
  )
  if (remote?.[1]) return remote[1].trim()
  return ["main", "master"].find((name) => hasBranch(folder, name))
}

/** The size of git's list of the files it tracks, which may be split into two; 0 where there is none. */
export function indexBytes(root: string): number {
  const folder = gitFolders(root)?.own
  if (folder === undefined) return 0
  const names = tried(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name === "index" || name.startsWith("sharedindex."))
    .reduce((sum, name) => sum + (tried(() => statSync(join(folder, name)).size) ?? 0), 0)
}

/** A worktree has its own folder, with its HEAD, which names the one with the branches. */
export function gitFolders(root: string): { readonly own: string; readonly shared: string } | undefined {
  const git = join(root, ".git")
  return tried(() => {
    const own = statSync(git).isDirectory() ? git : resolve(dirname(git), linkedFolder(readSmall(git)))
    const shared = tried(() => readSmall(join(own, "commondir")).trim())
    return { own, shared: shared === undefined ? own : resolve(own, shared) }
  })
}

/** Of a folder in a worktree, the top of the repository that the worktree belongs to. */
export function mainRepository(folder: string): string | undefined {
  const root = findRepository(folder)?.root
  const shared = root === undefined ? undefined : gitFolders(root)?.shared
  return shared !== undefined && basename(shared) === ".git" ? dirname(shared) : root
}

const hasBranch = (folder: string, name: string): boolean =>
  tried(() => statSync(join(folder, "refs/heads", name)).isFile()) ??
  tried(() => readPacked(join(folder, "packed-refs")).includes(` refs/heads/${name}\n`)) ??
  false

const mostPackedBytes = 1_000_000

function readPacked(path: string): string {
  const stat = statSync(path)
  if (!stat.isFile() || stat.size > mostPackedBytes) throw new Error(`${path} is too large`)
  return readFileSync(path, "utf8")
}

function tried<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch {
    return undefined
  }
}

function readHead(git: string): string | undefined {
  try {
    // Missing in most folders that are looked at, and an error takes longer to make than a file to read.
    const stat = statSync(git, { throwIfNoEntry: false })
    if (!stat) return undefined
    const folder = stat.isDirectory() ? git : resolve(dirname(git), linkedFolder(readSmall(git)))
    return readSmall(join(folder, "HEAD")).trim()
  } catch {
    return undefined
  }
}

const mostBytes = 4096

/** The folder may not be trusted yet: a pipe would block, and a huge name would go into every line of the log. */
function readSmall(path: string): string {
  const stat = statSync(path)
  if (!stat.isFile() || stat.size > mostBytes) throw new Error(`${path} is not a file of git`)
  return readFileSync(path, "utf8")
}

/** A worktree or submodule has a file that says where its folder is. */
const linkedFolder = (text: string): string => /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? ""

function branchIn(head: string): string {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 12)
}
