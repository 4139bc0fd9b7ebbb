/** What in a repository would make git run a program, or lead git to another repository, when the user works there. */

import { basename, dirname, resolve } from "node:path"
import { isHarmlessEntry, readConfig, writeConfig } from "#ground/workspace/shell/programs/git-config.ts"
import type { PlainDisk } from "#ground/workspace/plain-disk.ts"
import { liesInOne } from "#lib/lies-in.ts"

export interface ActingPart {
  /** With links resolved. */
  readonly folder: string
  readonly name: string
  /** What can stay of it. */
  readonly instead?: string
  /** After "because": `it sets core.fsmonitor`. */
  readonly why: string
}

export interface RepositoryGround {
  readonly disk: Pick<PlainDisk, "entryOf" | "names" | "text" | "real" | "kindOf">
  /** Folders that commands can write. */
  readonly writable: readonly string[]
  /** Whether a git folder was there before, so that it was held or cannot be written. */
  readonly isOld: (folder: string) => boolean
}

/** `path` is a `.git` of any kind, or a git folder with another name. */
export function actingParts(path: string, ground: RepositoryGround): readonly ActingPart[] {
  const { disk } = ground
  switch (disk.entryOf(path)?.kind) {
    case undefined:
      return []
    case "folder":
      return ofFolder(disk.real(path), ground)
    case "file":
      return ofPointer(path, ground)
    case "link":
    case "other":
      return [itself(path, "it leads to another repository", disk)]
  }
}

const itself = (path: string, why: string, disk: RepositoryGround["disk"]): ActingPart => ({
  folder: disk.real(dirname(path)),
  name: basename(path),
  why,
})

/** The git folder that a `.git` file names. */
export function pointedTo(path: string, disk: Pick<PlainDisk, "text" | "real">): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(disk.text(path) ?? "")?.[1]?.trim()
  return named === undefined ? undefined : disk.real(resolve(dirname(path), named))
}

function ofPointer(path: string, { disk, isOld }: RepositoryGround): readonly ActingPart[] {
  const target = pointedTo(path, disk)
  if (target === undefined || disk.kindOf(`${target}/HEAD`) !== "file")
    return [itself(path, "it names a repository that does not exist", disk)]
  // A new one is judged by what is in it. An old one may run programs that it finds here, if it was not made for here.
  if (!isOld(target) || pointsBack(path, target, disk)) return []
  return [itself(path, "it leads to a repository that does not belong here", disk)]
}

function pointsBack(path: string, target: string, disk: RepositoryGround["disk"]): boolean {
  const here = disk.real(path)
  const back = disk.text(`${target}/gitdir`)?.trim()
  if (back !== undefined) return disk.real(resolve(target, back)) === here
  const worktree = (readConfig(disk.text(`${target}/config`) ?? "") ?? []).findLast(
    ({ section, subsection, key }) => section === "core" && subsection === undefined && key === "worktree",
  )
  return worktree !== undefined && disk.real(resolve(target, worktree.value)) === disk.real(dirname(path))
}

function ofFolder(folder: string, ground: RepositoryGround): readonly ActingPart[] {
  return [
    ...elsewhere(folder, ground),
    ...["config", "config.worktree"].flatMap((name) => ofConfig(folder, name, ground)),
    ...ofHooks(folder, ground),
  ]
}

/** Git takes hooks and configuration from the folder that this file names; the repository around a worktree is judged by itself. */
function elsewhere(folder: string, { disk }: RepositoryGround): readonly ActingPart[] {
  const path = `${folder}/commondir`
  if (disk.entryOf(path) === undefined) return []
  const shared = disk.real(resolve(folder, disk.text(path)?.trim() ?? ""))
  const isWorktree = basename(dirname(folder)) === "worktrees" && shared === dirname(dirname(folder))
  return isWorktree || shared === folder ? [] : [itself(path, "it leads to another repository", disk)]
}

function ofConfig(folder: string, name: string, { disk, writable }: RepositoryGround): readonly ActingPart[] {
  const path = `${folder}/${name}`
  if (disk.entryOf(path) === undefined) return []
  const around = {
    isOwnFolder: (value: string): boolean => liesInOne(disk.real(resolve(folder, value)), writable),
    // To read a list of names or commits starts nothing.
    isOwnFile: (): boolean => true,
  }
  const entries = readConfig(disk.text(path) ?? unreadable)
  const acting = entries?.filter((entry) => !isHarmlessEntry(entry, around))
  if (acting?.length === 0) return []
  const names = [
    ...new Set(acting?.map((each) => [each.section, each.subsection, each.key].filter((part) => part).join("."))),
  ]
  const harmless = entries?.filter((entry) => !acting?.includes(entry)) ?? []
  return [
    {
      folder,
      name,
      instead: writeConfig(harmless),
      why: names.length === 0 ? "it cannot be read" : `it sets ${listed(names)}`,
    },
  ]
}

/** No configuration, so that it counts as one that is not understood. */
const unreadable = "]"

const mostNamed = 3

const listed = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? names.join(", ")
    : `${names.slice(0, mostNamed).join(", ")} and ${names.length - mostNamed} more`

function ofHooks(folder: string, { disk }: RepositoryGround): readonly ActingPart[] {
  const path = `${folder}/hooks`
  const entry = disk.entryOf(path)
  if (entry === undefined || entry.kind === "file") return []
  const names = entry.kind === "folder" ? disk.names(path) : undefined
  const hooks = names?.filter((name) => !name.endsWith(".sample") && canRun(`${path}/${name}`, disk))
  if (hooks?.length === 0) return []
  return [{ folder, name: "hooks", why: "Git runs the hooks in it" }]
}

function canRun(path: string, disk: RepositoryGround["disk"]): boolean {
  const entry = disk.entryOf(path)
  return entry?.kind === "link" || (entry?.kind === "file" && entry.isExecutable)
}
