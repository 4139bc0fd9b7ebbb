/** Whether a path is a file that is written only if the user approves that very edit. */

import { lazily } from "#lib/lazily.ts"
import { onceEach } from "#lib/once-each.ts"
import { type Forms, isInside, namesBelow, namesOf, type Workspace } from "./paths.ts"
import {
  protectedAtHome,
  protectedInSystem,
  protectedTable,
  type ProtectedRow,
} from "#ground/workspace/protected-table.ts"

export type Protection = Pick<ProtectedRow, "why" | "isInput">

/** Why a path is protected; undefined if it is not, or belongs to the session itself. */
export function protection(path: string, workspace: Workspace, forms: Forms): Protection | undefined {
  const all = forms(path)
  const owned = workspace.own.flatMap(forms)
  if (all.every((form) => owned.some((own) => namesBelow(own, form) !== undefined))) return undefined
  const named = byNames(path, workspace, forms)
  if (named || isApart(path, workspace, forms)) return named
  const folded = all.map(inOneCase)
  const liesIn = (folder: string): boolean => folded.some((form) => namesBelow(folder, form) !== undefined)
  if (workspace.protectedPaths.flatMap(forms).map(inOneCase).some(liesIn))
    return { why: "it belongs to the agent's own state" }
  const homes = forms(workspace.home).map(inOneCase).filter(liesIn)
  if (homes.some((home) => protectedAtHome.some((name) => liesIn(inOneCase(`${home}/${name}`)))))
    return { why: "it contains credentials, or programs run it when they start" }
  return foldedSystem().some(liesIn) ? { why: "the system runs it, or takes settings from it" } : undefined
}

const foldedSystem = lazily(() => protectedInSystem.map(inOneCase))

/** The first of many paths below a folder that is protected by its names, with the reason. */
export function protectedBelow(
  folder: string,
  paths: readonly string[],
  workspace: Workspace,
  forms: Forms,
): { readonly path: string; readonly protection: Protection } | undefined {
  const owned = workspace.own.flatMap(forms)
  if (forms(folder).every((form) => owned.some((own) => namesBelow(own, form) !== undefined))) return undefined
  const starts = namesTo(folder, workspace, forms)
  for (const path of paths) {
    const names = inOneCase(namesOf(path).join("/")).split("/")
    for (const start of starts) {
      const found = rowOf([...start, ...names])
      if (found) return { path: `${folder}/${path}`, protection: found }
    }
  }
  return undefined
}

/** Whether a link at a path would replace a folder with protected files: `.github`, `.cargo`. */
export function leadsToProtected(path: string, forms: Forms): Protection | undefined {
  for (const form of forms(path)) {
    const names = namesOf(inOneCase(form))
    const found = names.at(-1)?.startsWith(".")
      ? all().find(({ path: wanted }) => goesOn(names, namesOf(wanted)))
      : undefined
    if (found) return found.row
  }
  return undefined
}

const goesOn = (names: readonly string[], steps: readonly string[]): boolean =>
  steps.slice(0, -1).some((_, at) => endsWith(names, steps.slice(0, at + 1)))

function byNames(path: string, workspace: Workspace, forms: Forms): Protection | undefined {
  for (const names of namesTo(path, workspace, forms)) {
    const found = rowOf(names)
    if (found) return found
  }
  return undefined
}

/** The names that lead to a path, in each of its forms. */
function namesTo(path: string, workspace: Workspace, forms: Forms): readonly (readonly string[])[] {
  // In a folder created for the work, only what is below it counts.
  const apart = isApart(path, workspace, forms) ? forms(workspace.root) : undefined
  return forms(path).flatMap((form) => {
    const from = apart ? apart.map((root) => namesBelow(root, form) ?? []) : [namesOf(form)]
    return from.map((names) => names.map(inOneCase))
  })
}

const isApart = (path: string, workspace: Workspace, forms: Forms): boolean =>
  workspace.apart !== undefined && isInside(path, [workspace.root], forms)

interface Pattern {
  readonly path: string
  readonly row: ProtectedRow
}

/** Their last names, from all of them as one text: most names are none of these, and then the tables below need not be made. */
const lastNames = lazily(
  (): ReadonlySet<string> =>
    new Set(
      `${protectedTable()
        .map(({ paths }) => paths.join("\n"))
        .join("\n")}\n`.match(/[^/\n]+(?=\/?\n)/g),
    ),
)

/** Those without a star, by their last name, so that a long list costs no more than a short one. */
const plain = lazily((): ReadonlyMap<string, readonly Pattern[]> =>
  Map.groupBy(
    all().filter(({ path }) => !path.includes("*")),
    ({ path }) => lastOf(path),
  ),
)

interface Starred {
  readonly patterns: readonly Pattern[]
  /** The last names of these begin with two of these characters, or else end like this: few others do. */
  readonly heads: ReadonlySet<string>
  readonly tails: readonly string[]
}

const headLength = 2

const starred = lazily((): Starred => {
  const patterns: Pattern[] = []
  const heads = new Set<string>()
  const tails: string[] = []
  for (const row of protectedTable()) {
    for (const path of row.paths) {
      if (!path.includes("*")) continue
      const last = lastOf(path)
      const star = last.indexOf("*")
      patterns.push({ path, row })
      if (star >= headLength) heads.add(last.slice(0, headLength))
      else tails.push(last.slice(last.lastIndexOf("*") + 1))
    }
  }
  return { patterns, heads, tails }
})

const all = lazily((): readonly Pattern[] =>
  protectedTable().flatMap((row) => row.paths.map((path) => ({ path, row }))),
)

const isFolder = (path: string): boolean => path.endsWith("/")

function lastOf(path: string): string {
  const end = isFolder(path) ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end)
}

const shapeOf = (name: string): string => `^${name.split("*").map(RegExp.escape).join(".*")}$`

function rowOf(names: readonly string[]): ProtectedRow | undefined {
  const last = names.length - 1
  for (const [at, name] of names.entries()) {
    if (!lastNames().has(name)) continue
    const found = plain()
      .get(name)
      ?.find(({ path }) => (isFolder(path) || at === last) && endsWith(names.slice(0, at + 1), namesOf(path)))
    if (found) return found.row
  }
  const name = names[last] ?? ""
  const { patterns, heads, tails } = starred()
  if (!heads.has(name.slice(0, headLength)) && !tails.some((tail) => name.endsWith(tail))) return undefined
  return patterns.find(({ path }) => endsWith(names, namesOf(path)))?.row
}

function endsWith(names: readonly string[], steps: readonly string[]): boolean {
  const from = names.length - steps.length
  return from >= 0 && steps.every((each, i) => fits(names[from + i] ?? "", each))
}

const fits = (name: string, wanted: string): boolean =>
  wanted.includes("*") ? compiled(wanted).test(name) : name === wanted

const compiled = onceEach((wanted) => new RegExp(shapeOf(wanted), "s"))

/** Ignores case and characters that some file systems drop from names. Upper case first: some letters have no lower case of their own, but still equal another letter. */
function inOneCase(path: string): string {
  return path
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .toUpperCase()
    .toLowerCase()
}
