/** Paths as a command names them, made absolute, and whether they lie where they may. */

import { posix } from "node:path"
import type { Place } from "./analysis.ts"
import type { Argument } from "./argument.ts"

/** Paths that a command touches; `unbounded` when there are others that cannot be told. */
export interface Touched {
  readonly paths: readonly string[]
  readonly unbounded: boolean
}

/** The absolute forms of a path from every folder the shell may stand in. Dots are kept: what they mean depends on links. */
export function absolute(path: string, folders: readonly string[] | undefined): readonly string[] | undefined {
  if (path.startsWith("/")) return [path]
  return folders?.map((folder) => under(folder, path))
}

/** The paths that arguments name: exact ones, the folders of patterns, and where listed files lie. */
export function touched(args: readonly Argument[], folders: readonly string[] | undefined, place: Place): Touched {
  const paths: string[] = []
  let unbounded = false
  for (const arg of args) {
    const named = pathsOf(arg, folders, place)
    if (named) paths.push(...named)
    else unbounded = true
  }
  return { paths, unbounded }
}

function pathsOf(arg: Argument, folders: readonly string[] | undefined, place: Place): readonly string[] | undefined {
  switch (arg.kind) {
    case "pipe":
      return []
    case "exact":
      return free.has(arg.text) ? [] : absolute(arg.text, folders)
    case "glob":
      return allOf(absolute(arg.head, folders)?.map((_, i) => matched(arg, folders?.[i], place)))
    case "dynamic":
      return arg.below
    case "unknown":
      return undefined
  }
}

function allOf(parts: readonly (readonly string[] | undefined)[] | undefined): readonly string[] | undefined {
  const known = parts?.filter((part) => part !== undefined)
  return known && known.length === parts?.length ? known.flat() : undefined
}

/** Files that hold nothing. */
const free: ReadonlySet<string> = new Set(["/dev/null"])

const mostMatches = 2000
const fewMatches = 100

/**
 * What a pattern may stand for: the folder before it, and every name it could match that is a link, since a link may
 * lead anywhere. Undefined when there are too many to look at, or when one of them would be taken for a flag.
 */
function matched({ text, head }: Argument, folder: string | undefined, place: Place): readonly string[] | undefined {
  const isAbsolute = text.startsWith("/")
  const start = isAbsolute ? "/" : (folder ?? "/")
  const fixed = head.slice(0, head.lastIndexOf("/") + 1)
  const base = fixed === "" ? start : isAbsolute ? fixed : under(start, fixed)
  if (!place.list) return [base]
  const found = [base]
  let level = [base]
  for (const [i, part] of text.slice(fixed.length).split("/").entries()) {
    const isFixed = !/[*?[]/.test(part)
    const names = (each: string): readonly string[] => namesMatching(part, place.list?.(each) ?? [])
    if (i === 0 && fixed === "" && !isFixed && names(base).some((name) => name.startsWith("-"))) return undefined
    level = level.flatMap((each) => (isFixed ? [under(each, part)] : names(each).map((name) => under(each, name))))
    if (level.length > mostMatches) return undefined
    found.push(
      ...level.filter(
        (path) => place.realPath(path) !== under(place.realPath(posix.dirname(path)), posix.basename(path)),
      ),
    )
  }
  // A few are named one by one, so that a rule about another file in the folder is not taken to be meant.
  return level.length > 0 && level.length <= fewMatches ? [...new Set([...level, ...found.slice(1)])] : found
}

/**
 * The names that one part of a pattern could match, perhaps more and never less: characters in brackets are taken for
 * any text. Older shells also find the folder itself and the one above it.
 */
function namesMatching(part: string, names: readonly string[]): readonly string[] {
  const bracket = part.indexOf("[")
  const known = bracket === -1 ? part : `${part.slice(0, bracket)}*`
  const pattern = new RegExp(`^${known.split(/[*?]+/).map(RegExp.escape).join(".*")}$`, "s")
  const all = part.startsWith(".") ? [...names, ".", ".."] : names
  return all.filter((name) => pattern.test(name))
}

/** Whether a path, as given and as it really is, lies in one of the folders. */
export function isWithin(path: string, folders: readonly string[], realPath: Place["realPath"]): boolean {
  const allowed = folders.flatMap((folder) => [tidied(folder), tidied(realPath(folder))])
  const forms = [tidied(path), tidied(realPath(path)), tidied(realPath(tidied(path)))]
  return forms.every((form) => allowed.some((folder) => contains(folder, form)))
}

/** Whether a folder is a path or holds it, compared name by name. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
}

/** Without dots, doubled slashes and a slash at the end. */
export function tidied(path: string): string {
  const tidy = posix.normalize(path)
  return tidy.length > 1 && tidy.endsWith("/") ? tidy.slice(0, -1) : tidy
}

export const under = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`
