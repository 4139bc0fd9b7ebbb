/** What a path means: as the model wrote it, as an absolute path, and where it really leads. See decision 11. */

import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { largestListed, openAbsence } from "#lib/absence.ts"
import { isBelow } from "#lib/lies-in.ts"
import { onceEach } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import { errorCode, type FileFailure } from "./failure.ts"
import { orUndefined } from "./disk.ts"

export interface Paths {
  /** Absolute: relative to the working folder, `~` for the home folder. */
  readonly resolve: (path: string) => Result<string, FileFailure>
  /** The short form for users and the model: relative when it is below the working folder. */
  readonly show: (absolute: string) => string
  /** As `show`, for titles: also with `~` for the home folder. */
  readonly title: (absolute: string) => string
}

export function openPaths({ cwd, home }: { readonly cwd: () => string; readonly home: string }): Paths {
  function show(absolute: string): string {
    const folder = cwd()
    if (absolute === folder) return "."
    return isBelow(absolute, folder) ? relative(folder, absolute) : absolute
  }

  return {
    resolve(path) {
      if (path === "") return failed({ kind: "bad_path", path, why: "it is empty" })
      if (path.includes("\0")) return failed({ kind: "bad_path", path, why: "it contains a NUL byte" })
      if (path === "~" || path.startsWith("~/")) return ok(resolve(home, `.${path.slice(1)}`))
      return ok(resolve(cwd(), path))
    },
    show,
    title: (absolute) => tilde(show(absolute), home),
  }
}

const mostLinks = 40

/**
 * Resolves every link, also when the file (or more of the path) does not exist yet. Called on the main thread for every
 * call, so the file itself is never opened: only folders are, and those are quick.
 */
export function realPath(path: string): string {
  return followed(path, 0, realFolder) ?? path
}

/**
 * The same for many paths at one moment: each folder is resolved once, and listed once if much is asked about it. Not to
 * be kept, since links may change. `declared` says where a path led before, if that is what counts.
 */
export function openRealPaths(
  declared: (path: string) => string | undefined = () => undefined,
): (path: string) => string {
  const known = new Map<string, string | undefined>()
  const missing = new Set<string>()
  const absences = onceEach((folder) => openAbsence(() => namesIn(folder)))

  /** By what is known already: below something that is missing, or not in the list of its folder. */
  const isKnownMissing = (folder: string, name: string): boolean =>
    missing.has(folder) ? !isDots(name) : absences(folder)(name)

  const lookIn: LookIn = (folder, name) => {
    const end = isKnownMissing(folder, name) ? "missing" : linkAt(join(folder, name))
    if (end === "missing" && !isDots(name)) missing.add(join(folder, name))
    return end
  }
  const folderOf: RealFolder = (path, links) => {
    // Deep in a chain of links the limit may end it, which says nothing about the folder.
    if (links > 0) return realFolder(path, links)
    if (!known.has(path)) known.set(path, missingFolder(path) ?? realFolder(path, links, folderOf, lookIn))
    return known.get(path)
  }
  function missingFolder(path: string): string | undefined {
    const around = known.get(dirname(path))
    if (around === undefined || !isKnownMissing(around, basename(path))) return undefined
    const place = join(around, basename(path))
    missing.add(place)
    return place
  }
  return (path) => declared(path) ?? known.get(path) ?? followed(path, 0, folderOf, lookIn) ?? path
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return statSync(folder).size > largestListed ? undefined : readdirSync(folder)
  } catch {
    return undefined
  }
}

const isDots = (name: string): boolean => name === "." || name === ".."

type RealFolder = (path: string, links: number) => string | undefined
type LookIn = (folder: string, name: string) => ReturnType<typeof linkAt>

/** Undefined for what cannot be resolved. Opening the path gives a better error. */
function followed(
  path: string,
  links: number,
  folderOf: RealFolder,
  lookIn: LookIn = (folder, name) => linkAt(join(folder, name)),
): string | undefined {
  const parent = dirname(path)
  if (parent === path) return path
  if (links > mostLinks) return undefined
  const folder = folderOf(parent, links)
  if (folder === undefined) return undefined
  const name = basename(path)
  const place = join(folder, name)
  const end = lookIn(folder, name)
  if (end === "missing") return place
  // As it stands: where `..` in it leads depends on the links before it.
  if (end !== "no_link")
    return followed(isAbsolute(end.target) ? end.target : `${folder}/${end.target}`, links + 1, folderOf)
  return hasOneSpelling(folder, name) ? place : native(place)
}

function realFolder(
  path: string,
  links: number,
  folderOf: RealFolder = realFolder,
  lookIn?: LookIn,
): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    return errorCode(error) === "ENOENT" ? followed(path, links, folderOf, lookIn) : undefined
  }
}

function linkAt(path: string): { readonly target: string } | "no_link" | "missing" {
  try {
    const stats = lstatSync(path, orUndefined)
    if (stats === undefined) return "missing"
    return stats.isSymbolicLink() ? { target: readlinkSync(path) } : "no_link"
  } catch {
    return "missing"
  }
}

/** Whether one of these paths is itself a link, or cannot be looked at. */
export function hasLink(paths: readonly string[]): boolean {
  try {
    for (const path of paths) if (lstatSync(path, orUndefined)?.isSymbolicLink()) return true
    return false
  } catch {
    return true
  }
}

/**
 * Where `A` and `a` name the same file, only the system knows which of them is its name. There the other spelling
 * exists too; it is looked up on Linux, where such file systems are rare, and assumed elsewhere.
 */
function hasOneSpelling(folder: string, name: string): boolean {
  if (process.platform !== "linux" || !/^[\x20-\x7e]+$/.test(name)) return false
  const upper = name.toUpperCase()
  const other = upper === name ? name.toLowerCase() : upper
  return other === name || linkAt(join(folder, other)) === "missing"
}

function native(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
