/** Paths as a command names them, made absolute, and whether they are where they may be. */

import { posix } from "node:path"
import type { ShellPlace } from "./analysis.ts"
import type { Argument } from "./argument.ts"

/** `unbounded` when there are other, unknown paths. */
export interface Touched {
  readonly paths: readonly string[]
  readonly unbounded: boolean
}

/**
 * The absolute forms of a path from every folder the shell may be in. Dots are kept: what they mean depends on links.
 */
export function absolute(path: string, folders: readonly string[] | undefined): readonly string[] | undefined {
  if (path.startsWith("/")) return [path]
  return folders?.map((folder) => under(folder, path))
}

/** Whether a link that a pattern matches is followed, or only listed as a link. */
export type MatchedLinks = "followed" | "kept"

/** The paths that arguments name: exact ones, the folders of patterns, and where listed files are. */
export function touched(
  args: readonly Argument[],
  folders: readonly string[] | undefined,
  place: ShellPlace,
  links: MatchedLinks = "followed",
): Touched {
  const paths: string[] = []
  let unbounded = false
  for (const arg of args) {
    const named = pathsOf(arg, folders, place, links)
    if (named) paths.push(...named)
    if (!named || arg.loose) unbounded = true
  }
  return { paths, unbounded }
}

function pathsOf(
  arg: Argument,
  folders: readonly string[] | undefined,
  place: ShellPlace,
  links: MatchedLinks,
): readonly string[] | undefined {
  switch (arg.kind) {
    case "pipe":
      return []
    case "exact":
      return free.has(arg.text) ? [] : absolute(arg.text, folders)
    case "glob":
      return allOf(absolute(arg.head, folders)?.map((_, i) => matched(arg, folders?.[i], place, links)))
    case "dynamic":
      return listed(arg, folders)
    case "unknown":
      return undefined
  }
}

/**
 * Output of a command that lists files: names are relative to where they are used, which must be where they were found.
 */
function listed(
  { words, below, from }: Argument,
  folders: readonly string[] | undefined,
): readonly string[] | undefined {
  if (words) return allOf(words.map((word) => absolute(word, folders)))
  const isHere = from === undefined || (folders?.length === 1 && folders[0] === from)
  return isHere ? below : undefined
}

function allOf(parts: readonly (readonly string[] | undefined)[] | undefined): readonly string[] | undefined {
  const known = parts?.filter((part) => part !== undefined)
  return known && known.length === parts?.length ? known.flat() : undefined
}

/** Files that are always empty. */
const free: ReadonlySet<string> = new Set(["/dev/null"])

const mostMatches = 2000
/** How many files are listed one by one, so that a rule about another file in the folder does not apply. */
export const fewMatches = 100

/**
 * What a pattern may stand for: what it matches now, or the folder before it and every link on the way when that is
 * much. Undefined when there is too much to read, or when one of the names would be taken for a flag.
 */
function matched(
  arg: Argument,
  folder: string | undefined,
  place: ShellPlace,
  links: MatchedLinks,
): readonly string[] | undefined {
  const { text, fixed, base } = partsOfPattern(arg, folder)
  if (!place.list) return [base]
  const onTheWay: string[] = []
  let level = [base]
  for (const [i, part] of text.slice(fixed.length).split("/").entries()) {
    const isFixed = !/[*?[]/.test(part)
    const names = (each: string): readonly string[] => namesMatching(part, place.list?.(each) ?? [])
    if (i === 0 && fixed === "" && !isFixed && names(base).some((name) => name.startsWith("-"))) return undefined
    level = level.flatMap((each) => (isFixed ? [under(each, part)] : names(each).map((name) => under(each, name))))
    if (level.length > mostMatches) return undefined
    onTheWay.push(...level.filter((path) => isLink(path, place)))
  }
  const found =
    level.length > 0 && level.length <= fewMatches
      ? level
      : [base, ...onTheWay.filter((link) => level.some((path) => contains(link, path)))]
  return links === "kept" ? found.map((path) => (isLink(path, place) ? posix.dirname(path) : path)) : found
}

function partsOfPattern(
  { text, head }: Argument,
  folder: string | undefined,
): { readonly text: string; readonly fixed: string; readonly base: string } {
  const isAbsolute = text.startsWith("/")
  const start = isAbsolute ? "/" : (folder ?? "/")
  const fixed = head.slice(0, head.lastIndexOf("/") + 1)
  return { text, fixed, base: fixed === "" ? start : isAbsolute ? fixed : under(start, fixed) }
}

/** The words a pattern becomes, perhaps more and never fewer; undefined when unknown, or too many. */
export function expansion(arg: Argument, folder: string, place: ShellPlace): readonly string[] | undefined {
  const { text, fixed, base } = partsOfPattern(arg, folder)
  const { list } = place
  if (!list) return undefined
  let level = [""]
  for (const part of text.slice(fixed.length).split("/")) {
    const isFixed = !/[*?[]/.test(part)
    const names = (at: string): readonly string[] =>
      isFixed ? [part] : namesMatching(part, list(`${base}/${at}`) ?? [])
    level = level.flatMap((at) => names(at).map((name) => (at === "" ? name : `${at}/${name}`)))
    if (level.length > mostMatches) return undefined
  }
  // A pattern that matches nothing stands for itself.
  return level.length === 0 ? [text] : level.map((path) => `${fixed}${path}`)
}

/** Whether a name is a link itself, whatever its folder is. */
export function isLink(path: string, { realPath }: ShellPlace): boolean {
  const name = tidied(path)
  return realPath(name) !== under(realPath(posix.dirname(name)), posix.basename(name))
}

/**
 * The names that one component of a pattern could match, perhaps more and never fewer: letters and digits in brackets
 * are read, anything else in them matches any text. Older shells also find the folder itself and its parent.
 */
function namesMatching(part: string, names: readonly string[]): readonly string[] {
  const plain = part.replace(/\[[A-Za-z0-9]+\]/g, "\0$&\0")
  const pieces = plain.split("\0")
  const strange = pieces.findIndex((piece, i) => i % 2 === 0 && piece.includes("["))
  const known = strange === -1 ? pieces : [...pieces.slice(0, strange), `${pieces[strange]?.split("[")[0] ?? ""}*`]
  const source = known.map((piece, i) => (i % 2 === 1 ? piece : piece.split(/[*?]+/).map(RegExp.escape).join(".*")))
  const pattern = new RegExp(`^${source.join("")}$`, "is")
  const all = part.startsWith(".") ? [...names, ".", ".."] : names
  return all.filter((name) => pattern.test(name))
}

/** Whether a path, as written and resolved, is in one of the folders. */
export function isWithin(path: string, folders: readonly string[], realPath: ShellPlace["realPath"]): boolean {
  const allowed = folders.flatMap((folder) => [tidied(folder), tidied(realPath(folder))])
  const forms = [tidied(path), tidied(realPath(path)), tidied(realPath(tidied(path)))]
  return forms.every((form) => allowed.some((folder) => contains(folder, form)))
}

/** Whether a folder is or contains a path, compared name by name. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
}

export function tidied(path: string): string {
  const tidy = posix.normalize(path)
  return tidy.length > 1 && tidy.endsWith("/") ? tidy.slice(0, -1) : tidy
}

export const under = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`
