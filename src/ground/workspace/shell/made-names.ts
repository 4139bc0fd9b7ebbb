/**
 * Names that one command prints and another one takes. Whoever created the files chose the names, so one of them may be
 * a flag, be split into several words, or be a link that leads elsewhere: all possible names are checked before.
 * See decision 49.
 */

import type { WalkedFile, ShellPlace, Tracked, WalkLimits } from "./analysis.ts"
import type { Argument } from "./argument.ts"
import type { Listing, Names } from "./listing.ts"
import { absolute, expansion, fewMatches, tidied, under } from "./paths.ts"

/** Which names a command prints, and whether a NUL ends each. */
export type Lists = { readonly nul: boolean } & (
  | {
      /** Everything below the folders it is given, each path starting as its folder was written. */
      readonly kind: "below"
      /** Whether the folders themselves are included. */
      readonly roots: boolean
      readonly passes: (found: WalkedFile) => boolean
      readonly limits?: WalkLimits
    }
  /** The names in the folders it is given, and whatever else it is given. */
  | { readonly kind: "entries"; readonly hidden: boolean; readonly itself: boolean }
  | {
      readonly kind: "tracked"
      /** Whether the names are relative to the working folder or to the root of the repository. */
      readonly from: "here" | "top"
      readonly untracked: boolean
      readonly passes: (name: string) => boolean
    }
)

export interface NamesQuery {
  readonly operands: readonly Argument[]
  readonly folders: readonly string[] | undefined
  readonly place: ShellPlace
}

/** A list whose names are looked up once, when needed: a tree may be large. */
export function listingOf(lists: Lists, asked: NamesQuery): Listing {
  let names: { readonly found: Names | undefined } | undefined
  return { nul: lists.nul, names: () => (names ??= { found: namesOf(lists, asked) }).found }
}

function namesOf(lists: Lists, { operands, folders, place }: NamesQuery): Names | undefined {
  const [folder, ...others] = folders ?? []
  if (folder === undefined || others.length > 0) return undefined
  switch (lists.kind) {
    case "below":
      return below(lists, operands, folder, place)
    case "entries": {
      const names = entries(lists, operands, folder, place)
      return names && named(names, lists.nul, folder, place)
    }
    case "tracked": {
      const names = tracked(lists, folder, place)
      // A repository without commits may be another one by the time the command runs.
      if (names?.length === 0) return { below: [folder], from: folder, token: true, plain: true }
      return names && named(names, lists.nul, folder, place)
    }
  }
}

function below(
  lists: Extract<Lists, { kind: "below" }>,
  operands: readonly Argument[],
  folder: string,
  place: ShellPlace,
): Names | undefined {
  const roots = wordsOf(operands, folder, place)
  if (!roots || !place.everything) return undefined
  const tops = roots.length === 0 ? [folder] : roots.flatMap((root) => absolute(root, [folder]) ?? [])
  const names: string[] = []
  const links: string[] = []
  for (const [i, top] of tops.entries()) {
    const root = roots[i]
    const start = beginning(root, lists.roots)
    const found = place.everything(top, lists.limits)
    if (!found) return unseen(lists, roots, tops)
    if (lists.roots || place.list?.(top) === undefined) names.push(root ?? ".")
    for (const each of found) {
      if (!lists.passes(each)) continue
      names.push(`${start}${each.path}`)
      if (each.isLink) links.push(under(top, each.path))
    }
  }
  return described(names, lists.nul, folder, () => [...tops, ...links])
}

/** The prefix of a name found below a root. Only find always prints it; others leave a dot out. */
function beginning(root: string | undefined, isSaid: boolean): string {
  if (isSaid) return `${(root ?? ".").replace(/\/+$/, "")}/`
  return root === undefined || /^(?:\.\/*)+$/.test(root) ? "" : root.replace(/\/*$/, "/")
}

/** Too much to list: without a link and with a NUL after each name only its prefix must be known. */
function unseen(
  { nul, roots: begun, passes }: Extract<Lists, { kind: "below" }>,
  roots: readonly string[],
  tops: readonly string[],
): Names | undefined {
  const isSafe = begun && nul && !passes({ path: "x", isLink: true }) && roots.every((root) => !/^[-+@]/.test(root))
  return isSafe ? { below: tops, token: true } : undefined
}

function entries(
  { hidden, itself }: Extract<Lists, { kind: "entries" }>,
  operands: readonly Argument[],
  folder: string,
  place: ShellPlace,
): readonly string[] | undefined {
  const words = wordsOf(operands, folder, place)
  if (!words || !place.list) return undefined
  const all = words.length === 0 ? ["."] : words
  return all.flatMap((word): readonly string[] => {
    const inside = itself ? undefined : place.list?.(under(folder, word))
    if (!inside) return [word]
    // Several folders have their names before them.
    const title = all.length > 1 ? [`${word}:`] : []
    return [...title, ...inside, ...(hidden ? [".", ".."] : [])]
  })
}

function tracked(
  { from, untracked, passes, nul }: Extract<Lists, { kind: "tracked" }>,
  folder: string,
  place: ShellPlace,
): readonly string[] | undefined {
  const known = place.tracked?.(folder)
  if (!known) return undefined
  const others = untracked ? place.everything?.(folder, { skips: (path) => path === ".git" }) : []
  const names = [...(from === "top" ? known.names : inFolder(known)), ...(others ?? []).map(({ path }) => path)]
  return (
    others && names.filter(passes).flatMap((name) => (nul || isPrintedPlain.test(name) ? [name] : [name, quoted(name)]))
  )
}

const inFolder = ({ names, prefix }: Tracked): readonly string[] =>
  prefix === "" ? names : names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))

const isPrintedPlain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** As git prints names of other characters, unless a NUL ends each or its configuration says otherwise. */
function quoted(name: string): string {
  const bytes = [...new TextEncoder().encode(name)].map((byte) => {
    const char = String.fromCharCode(byte)
    if (char === '"' || char === "\\") return `\\${char}`
    if (byte >= 0x20 && byte < 0x7f) return char
    const letter = "abtnvfr"[byte - 7]
    return `\\${letter ?? byte.toString(8).padStart(3, "0")}`
  })
  return `"${bytes.join("")}"`
}

const mostNames = 20_000

function named(names: readonly string[], nul: boolean, folder: string, place: ShellPlace): Names | undefined {
  if (names.length > mostNames || (names.length > fewMatches && names.some((name) => name.startsWith("/"))))
    return undefined
  return described(names, nul, folder, () => [folder, ...linksAmong(names, folder, place)])
}

/** The names that are links, or are behind one: each folder is read once. */
function linksAmong(names: readonly string[], folder: string, place: ShellPlace): readonly string[] {
  const real = place.realPath(folder)
  const byFolder = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf("/") + 1))
  return [...byFolder].flatMap(([at, inside]) => {
    const paths = inside.map((name) => under(folder, name))
    const isDirect = at === "" || place.realPath(under(folder, at.slice(0, -1))) === under(real, tidied(at))
    const found = isDirect ? place.everything?.(under(folder, at), { depth: 1 }) : undefined
    if (!found) return paths
    const links = new Set(found.flatMap(({ path, isLink }) => (isLink ? [`${at}${path}`] : [])))
    return paths.filter((_, k) => links.has(inside[k] ?? "") || /(?:^|\/)\.{1,2}$/.test(inside[k] ?? ""))
  })
}

function described(found: readonly string[], nul: boolean, folder: string, places: () => readonly string[]): Names {
  const names = found.length <= fewMatches && !nul ? found.flatMap(withParts) : found
  const isPlain = names.every((name) => plainName.test(name) || (names !== found && spacedName.test(name)))
  return {
    ...(found.length <= fewMatches ? { words: names } : { below: places(), from: folder }),
    ...(names.every(isOperand) && { token: true }),
    ...(isPlain && { plain: true }),
  }
}

/** A name with spaces, and the words it is split into. */
const withParts = (name: string): readonly string[] =>
  /[ \t\n]/.test(name) ? [name, ...name.split(/[ \t\n]+/).filter((part) => part !== "")] : [name]

/** Neither a flag nor a response file, whatever reads it. */
export const isOperand = (name: string): boolean => name !== "" && !/^[-+@]/.test(name)

/** No space, quote, backslash or pattern: it stays one word wherever words are split. */
const plainName = /^(?:[\w!#$%&()+,./:;<=>@^`{|}~-]|\p{L}|\p{N})+$/u
const spacedName = /^(?:[\w!#$%&()+,./:;<=>@^`{|}~ \t\n-]|\p{L}|\p{N})+$/u

/** The words that operands stand for; undefined when unknown. */
function wordsOf(operands: readonly Argument[], folder: string, place: ShellPlace): readonly string[] | undefined {
  const words: string[] = []
  for (const each of operands) {
    const known =
      each.kind === "exact" ? [each.text] : each.kind === "glob" ? expansion(each, folder, place) : each.words
    if (!known) return undefined
    words.push(...known)
  }
  return words
}
