/** Every git folder that the repositories of a walk lead to: by a file, as a worktree or a submodule, or from an index. */

import { dirname } from "node:path"
import type { PlainDisk } from "#ground/workspace/plain-disk.ts"
import { repositoriesInIndex } from "#ground/workspace/shell/programs/git-index.ts"
import { liesInOne } from "#lib/lies-in.ts"
import { pointedTo } from "./acting-parts.ts"

export interface Walked {
  /** Every `.git`, and every folder that looks like one. */
  readonly repositories: readonly string[]
  /** Whether some folders were not looked at. */
  readonly isCut: boolean
}

/** Those of the walk come first. */
export type GitFolders = (walked: Walked, writable: readonly string[]) => readonly string[]

export function openGitFolders(disk: PlainDisk): GitFolders {
  const indexes = new Map<string, { readonly stamp: string; readonly paths: readonly string[] }>()

  /** Git asks every repository that is recorded in the index about its state, wherever it is. */
  function recorded(git: string): readonly string[] {
    const index = `${git}/index`
    const entry = disk.entryOf(index)
    if (entry === undefined) return []
    const stamp = `${entry.id} ${entry.changedMs}`
    const known = indexes.get(index)
    const bytes = known?.stamp === stamp ? undefined : disk.bytes(index)
    const paths = bytes
      ? (repositoriesInIndex(bytes, 20) ?? repositoriesInIndex(bytes, 32) ?? [])
      : (known?.paths ?? [])
    indexes.set(index, { stamp, paths })
    return paths.map((path) => `${dirname(git)}/${path}/.git`).filter((path) => disk.entryOf(path) !== undefined)
  }

  return ({ repositories, isCut }, writable) => {
    const found = new Set(repositories)
    // What is added here is looked at as well.
    for (const path of found) {
      const kind = disk.entryOf(path)?.kind
      const target = kind === "file" ? pointedTo(path, disk) : undefined
      if (target !== undefined && liesInOne(target, writable)) found.add(target)
      if (kind !== "folder") continue
      for (const child of childrenOf(disk.real(path), disk)) found.add(child)
      if (isCut) for (const inner of recorded(path)) found.add(inner)
    }
    return [...found]
  }
}

const deepestModules = 6
const mostChildren = 500

/** Git folders that belong to one: those of its worktrees and submodules. */
function childrenOf(folder: string, disk: PlainDisk): readonly string[] {
  const worktrees = (disk.names(`${folder}/worktrees`) ?? []).map((name) => `${folder}/worktrees/${name}`)
  const modules: string[] = []
  let level = [`${folder}/modules`]
  for (let depth = 0; depth < deepestModules && level.length > 0; depth++) {
    const below = level.flatMap((parent) => (disk.names(parent) ?? []).map((name) => `${parent}/${name}`))
    // A submodule's name may have slashes; what has a HEAD is one.
    const isModule = (path: string): boolean =>
      disk.entryOf(path)?.kind === "link" || disk.entryOf(`${path}/HEAD`) !== undefined
    modules.push(...below.filter(isModule))
    level = below.filter((path) => !isModule(path) && disk.entryOf(path)?.kind === "folder").slice(0, mostChildren)
  }
  return [...worktrees, ...modules].slice(0, mostChildren)
}
