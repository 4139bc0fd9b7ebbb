/** What a confined program cannot write inside writable folders: anything that would run later, outside. */

import { dirname } from "node:path"
import type { ReadOnlyLine, PolicyLine } from "#ground/sandbox/policy.ts"
import { protectedAtHome, protectedTable } from "#ground/workspace/protected-table.ts"
import type { Disk, SandboxPlace } from "./facts.ts"
import { readOnlyOfGit } from "./git-folders.ts"
import { namedBy, ownConfigs } from "./git-names.ts"
import { lazily } from "#lib/lazily.ts"
import { isBelow, liesIn, liesInOne } from "#lib/lies-in.ts"

export interface ReadOnlyParts {
  readonly place: SandboxPlace
  readonly disk: Disk
  readonly writable: readonly string[]
  /** Every `.git` that was found, and those of the writable folders themselves. */
  readonly repositories: readonly string[]
  /** Git folders that confined commands made. */
  readonly made: ReadonlySet<string>
}

const folder = { kind: "folder" } as const
const emptyFile = { kind: "file", text: "" } as const

/** What no setting can make writable. */
export function alwaysHeld({ place, disk, writable, repositories, made }: ReadOnlyParts): readonly ReadOnlyLine[] {
  const agents = writable.flatMap((top): readonly ReadOnlyLine[] =>
    disk.kindOf(top) === "folder" && disk.kindOf(`${top}/objects`) !== "folder"
      ? agentFolders.map((name) => ({
          path: `${top}/${name}`,
          because: "settings, hooks and commands of the agent",
          placeholder: folder,
        }))
      : [],
  )
  const own: readonly ReadOnlyLine[] = [
    { path: place.state, because: "Codewright's own settings and state", placeholder: folder },
    { path: place.claudeFolder, because: "settings, hooks and commands of the agent", placeholder: folder },
  ]
  const gits = repositories.flatMap((git) => readOnlyOfGit(git, { disk, made, home: place.home }))
  const home = liesInOne(disk.real(place.home), writable) ? heldAtHome(place.home, disk) : []
  // Git uses it everywhere, also where no repository is.
  const named = namedBy(ownConfigs(place.home), { disk, home: place.home, bases: [place.root] })
  return settled([...agents, ...own, ...home, ...gits, ...named], disk, writable)
}

/** Held if it exists; a setting that names it can make it writable. */
export function usuallyHeld({ disk, writable, place }: ReadOnlyParts): readonly ReadOnlyLine[] {
  const lines = writable.flatMap((top) => protectedIn(top, disk))
  const home = liesInOne(disk.real(place.home), writable)
    ? protectedAtHome.flatMap((name) =>
        existing(namesOf(name.toLowerCase()), place.home, disk).map((path) => ({ path, because: atHome })),
      )
    : []
  return settled([...lines, ...home], disk, writable)
}

const agentFolders: readonly string[] = [".codewright", ".claude"]

/** Programs write there in everyday work, or a narrower line replaces them. */
const everydayWork: ReadonlySet<string> = new Set([
  ".git/",
  ".codewright/",
  ".claude/",
  ".gradle/",
  ".yarn/",
  ".pnp.*",
  ".hg/",
  ".jj/",
  ".sl/",
  ".svn/",
  "dist-packages/*.pth",
  "site-packages/*.pth",
])

const narrower: readonly { readonly path: string; readonly because: string }[] = [
  { path: ".yarn/releases", because: "Yarn runs code from it" },
  { path: ".yarn/plugins", because: "Yarn runs code from it" },
  { path: ".hg/hgrc", because: "Mercurial runs programs that it names" },
  { path: ".hg/hgrc-not-shared", because: "Mercurial runs programs that it names" },
  { path: ".sl/config", because: "Sapling runs programs that it names" },
  { path: ".jj/repo/config.toml", because: "Jujutsu runs programs that it names" },
]

/** A name of the table, or a pattern with `*`; on disk it can have capitals. */
type PathPart = string | RegExp

interface ProtectedName {
  readonly names: readonly PathPart[]
  readonly because: string
}

const protectedNames = lazily((): readonly ProtectedName[] => [
  ...protectedTable().flatMap(({ paths, why }) =>
    paths.filter((path) => !everydayWork.has(path)).map((path) => ({ names: namesOf(path), because: why })),
  ),
  ...narrower.map(({ path, because }) => ({ names: namesOf(path), because })),
])

/** Existing files of the protected table, at the top of a folder. */
export function protectedIn(top: string, disk: Disk): readonly ReadOnlyLine[] {
  const there = new Set(disk.list(top).map(({ name }) => name.toLowerCase()))
  return protectedNames()
    .filter(({ names: [first] }) => typeof first !== "string" || there.has(first))
    .flatMap(({ names, because }) => existing(names, top, disk).map((path) => ({ path, because })))
}

const namesOf = (path: string): readonly PathPart[] =>
  path
    .split("/")
    .filter((name) => name !== "")
    .map((name) => (name.includes("*") ? patternOf(name) : name))

const patternOf = (name: string): RegExp =>
  new RegExp(
    `^${name
      .split("*")
      .map((part) => RegExp.escape(part))
      .join(".*")}$`,
    "is",
  )

/** Matching paths below a folder, ignoring case. */
function existing([name, ...rest]: readonly PathPart[], top: string, disk: Disk): readonly string[] {
  if (name === undefined) return [top]
  const isFitting = (each: string): boolean =>
    typeof name === "string" ? each.length === name.length && each.toLowerCase() === name : name.test(each)
  return disk
    .list(top)
    .filter((entry) => isFitting(entry.name))
    .flatMap((entry) => existing(rest, `${top === "/" ? "" : top}/${entry.name}`, disk))
}

const atHome = "programs run it, or take settings from it, when they start"

/** A shell or a program runs them at startup, so they must not be created either. */
const startFiles: readonly string[] = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  ".pam_environment",
  ".xprofile",
  ".xinitrc",
  ".xsession",
  ".xsessionrc",
  ".gitconfig",
  ".npmrc",
  ".curlrc",
  ".wgetrc",
  ".vimrc",
  ".tmux.conf",
  ".direnvrc",
]

const startFolders: readonly string[] = [
  ".ssh",
  ".config/fish",
  ".config/git",
  ".config/autostart",
  ".config/systemd",
  ".config/environment.d",
  ".config/direnv",
  ".config/nvim",
  ".local/bin",
  "Library/LaunchAgents",
]

const heldAtHome = (home: string, disk: Disk): readonly ReadOnlyLine[] => [
  ...startFiles.map((name) => ({ path: `${home}/${name}`, because: atHome, placeholder: emptyFile })),
  ...startFolders
    .filter((name) => !name.startsWith("Library/") || disk.kindOf(`${home}/Library`) === "folder")
    .map((name) => ({ path: `${home}/${name}`, because: atHome, placeholder: folder })),
]

/**
 * The lines as they can be enforced: links resolved, only in writable folders, each path once. If the parent folder of a missing path is missing too, it
 * is held instead, or it could be created.
 */
function settled(lines: readonly ReadOnlyLine[], disk: Disk, writable: readonly string[]): readonly ReadOnlyLine[] {
  const known = new Set<string>()
  return lines.flatMap((line) => {
    const real = disk.real(line.path)
    const top = writable.find((each) => liesIn(real, each))
    if (top === undefined || real === top) return []
    const missing = firstMissing(real, top, disk)
    const path = missing ?? real
    if (known.has(path) || (missing !== undefined && line.placeholder === undefined)) return []
    known.add(path)
    const placeholder = missing === undefined || missing === real ? line.placeholder : folder
    return [{ path, because: line.because, ...(placeholder && { placeholder }) }]
  })
}

function firstMissing(path: string, top: string, disk: Disk): string | undefined {
  if (!isBelow(path, top)) return undefined
  return firstMissing(dirname(path), top, disk) ?? (disk.kindOf(path) === undefined ? path : undefined)
}

/** The lines without those that a setting makes writable, by naming the exact path. */
export function opened(lines: readonly ReadOnlyLine[], allowed: readonly PolicyLine[]): readonly ReadOnlyLine[] {
  return lines.filter((line) => !allowed.some(({ path }) => path === line.path))
}
