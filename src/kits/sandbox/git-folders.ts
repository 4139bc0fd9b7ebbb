/** Which parts of a git repository make git run programs, and so are held; and which of its folders a worktree needs. */

import { dirname, resolve } from "node:path"
import type { ReadOnlyLine, PolicyLine } from "#ground/sandbox/policy.ts"
import { readConfig } from "#ground/workspace/shell/programs/git-config.ts"
import type { Disk } from "./facts.ts"
import { namedBy, ownConfigs } from "./git-names.ts"
import { liesIn, liesInOne } from "#lib/lies-in.ts"

/** Depth of nested submodules: `modules/a/modules/b`. */
const deepestModules = 4
const mostModules = 60

/** The repository of the working folder, wherever its git folder is: commits are everyday work, also from a subfolder or a linked worktree. */
export function ownRepository(root: string, disk: Disk): readonly PolicyLine[] {
  const at = findGit(root, disk)
  // A link could lead to any other repository of the user.
  if (at === undefined || disk.isLink(at)) return []
  return foldersOf(at, disk)
    .filter((folder) => belongs(at, folder, disk))
    .map((path) => ({ path, because: "the repository of the working folder" }))
}

export interface GitGround {
  readonly disk: Disk
  /** Git folders that commands made themselves. */
  readonly made: ReadonlySet<string>
  readonly home: string
}

/** What is held of a `.git`, whether a folder or a file that names one; nothing of those that commands made themselves. */
export function readOnlyOfGit(git: string, { disk, made, home }: GitGround): readonly ReadOnlyLine[] {
  const folders = foldersOf(git, disk)
  const isHeld = disk.kindOf(git) === "file" && !folders.some((folder) => made.has(folder))
  // Pointing the file to another folder would make it another repository.
  const link: readonly ReadOnlyLine[] = isHeld ? [{ path: git, because: "it points to the repository" }] : []
  const named = folders
    .filter((folder) => !made.has(folder))
    .flatMap((folder) =>
      namedBy([`${folder}/config`, `${folder}/config.worktree`, ...ownConfigs(home)], {
        disk,
        home,
        bases: [...new Set([dirname(git), ...treesOf(folder, disk)])],
      }),
    )
  return [...link, ...folders.flatMap((folder) => heldOfFolder(folder, disk, made)), ...named]
}

/** The top folders of a repository's working trees. */
function treesOf(folder: string, disk: Disk): readonly string[] {
  const config = readConfig(disk.text(`${folder}/config`) ?? "") ?? []
  const worktree = config.findLast(({ section, key }) => section === "core" && key === "worktree")?.value
  const linked = disk.list(`${folder}/worktrees`).flatMap(({ name }) => {
    const own = `${folder}/worktrees/${name}`
    const file = disk.text(`${own}/gitdir`)?.trim()
    return file === undefined ? [] : [dirname(resolve(own, file))]
  })
  return [resolve(folder, worktree ?? ".."), ...linked]
}

function heldOfFolder(folder: string, disk: Disk, made: ReadonlySet<string>): readonly ReadOnlyLine[] {
  if (made.has(folder)) return []
  const inside = (name: string): string => `${folder}/${name}`
  const isLinked = disk.kindOf(inside("commondir")) === "file" && disk.text(inside("commondir"))?.trim() !== "."
  // Git reads it only if the configuration, which is held, says so.
  const isRead = /worktreeconfig/i.test(disk.text(`${isLinked ? `${folder}/../..` : folder}/config`) ?? "")
  const settings: ReadOnlyLine = {
    path: inside("config.worktree"),
    because: runs,
    ...(isRead && { placeholder: emptyFile }),
  }
  if (isLinked) return [{ path: inside("commondir"), because: "it points to the repository" }, settings]
  return [
    { path: inside("hooks"), because: "Git runs the hooks in it", placeholder: { kind: "folder" } },
    { path: inside("config"), because: runs, placeholder: emptyFile },
    settings,
    // Git takes hooks and configuration from the folder it names: here, the usual one.
    {
      path: inside("commondir"),
      because: "it points to the repository",
      placeholder: { kind: "file", text: "." },
    },
    ...disk
      .list(inside("worktrees"))
      .flatMap(({ name, isFolder }) => (isFolder ? heldOfFolder(inside(`worktrees/${name}`), disk, made) : [])),
    ...modulesIn(inside("modules"), disk).flatMap((module) => heldOfFolder(module, disk, made)),
  ]
}

const runs = "Git runs programs that it names"
const emptyFile = { kind: "file", text: "" } as const

/** A submodule's folder name can have any number of slashes; its HEAD identifies it. */
function modulesIn(folder: string, disk: Disk): readonly string[] {
  const found: string[] = []
  let level: readonly string[] = [folder]
  for (let depth = 0; depth < deepestModules && level.length > 0; depth++) {
    const below = level.flatMap((parent) =>
      disk.list(parent).flatMap(({ name, isFolder }) => (isFolder ? [`${parent}/${name}`] : [])),
    )
    const isModule = (path: string): boolean => disk.kindOf(`${path}/HEAD`) === "file"
    found.push(...below.filter(isModule))
    level = below.filter((path) => !isModule(path)).slice(0, mostModules)
  }
  return found.slice(0, mostModules)
}

function findGit(root: string, disk: Disk): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = folder === "/" ? "/.git" : `${folder}/.git`
    if (disk.kindOf(git) !== undefined) return git
    if (dirname(folder) === folder) return undefined
  }
}

/** The folder of a `.git`, and the shared one if it is that of a worktree. */
function foldersOf(git: string, disk: Disk): readonly string[] {
  if (disk.kindOf(git) === "folder") return [disk.real(git)]
  const named = /^gitdir: (.+)$/m.exec(disk.text(git) ?? "")?.[1]?.trim()
  if (named === undefined) return []
  const own = disk.real(resolve(dirname(git), named))
  if (disk.kindOf(`${own}/HEAD`) !== "file") return []
  const shared = disk.text(`${own}/commondir`)?.trim()
  return shared === undefined ? [own] : [...new Set([disk.real(resolve(own, shared)), own])]
}

/** A file in the project could name any other repository of the user, so that repository must point back to the project. */
function belongs(git: string, folder: string, disk: Disk): boolean {
  if (disk.kindOf(git) === "folder") return true
  const isHere = (path: string | undefined, from: string, here: string): boolean =>
    path !== undefined && disk.real(resolve(from, path)) === disk.real(here)
  // A submodule's configuration names its files; a worktree's names the file that points to it.
  const worktree = /^\s*worktree\s*=\s*(.+)$/m.exec(disk.text(`${folder}/config`) ?? "")?.[1]?.trim()
  if (isHere(worktree, folder, dirname(git))) return true
  return [folder, ...disk.list(`${folder}/worktrees`).map(({ name }) => `${folder}/worktrees/${name}`)].some((own) =>
    isHere(disk.text(`${own}/gitdir`)?.trim(), own, git),
  )
}

/** Lines whose path is not already within one of the folders, or another line. */
export const outside = (lines: readonly PolicyLine[], folders: readonly string[]): readonly PolicyLine[] =>
  lines.filter(
    ({ path }) => !liesInOne(path, folders) && !lines.some((other) => other.path !== path && liesIn(path, other.path)),
  )
