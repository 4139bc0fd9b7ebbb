/** Whether a path rule covers a path. A rule that tightens errs towards matching, one that loosens away from it. */

import { posix } from "node:path"
import { couldMatchBelow, matchPath, namesLeft, type PathPattern, type PatternStep } from "./path-pattern.ts"
import { type Forms, namesBelow, withOriginals, type Workspace } from "#kits/permissions/paths.ts"
import type { Token } from "./wildcard.ts"

export interface PathView {
  readonly workspace: Workspace
  readonly cwd: string
  readonly forms: Forms
}

export interface Area {
  readonly folder: string
  readonly steps: readonly PatternStep[]
}

/** A pattern, the folder of its settings, and the areas it guards if already known. */
export interface BasedPattern {
  readonly pattern: PathPattern
  readonly base?: string | undefined
  readonly areas?: readonly Area[] | undefined
}

/** For deny and ask rules: one matching form of the path is enough. */
export function tightens(rule: BasedPattern, path: string, view: PathView): boolean {
  return tightensAny(rule, [path], view)
}

/** The same for one of many paths: where the rule begins is computed once. */
export function tightensAny(rule: BasedPattern, paths: readonly string[], view: PathView): boolean {
  const { foldersOnly } = rule.pattern
  const guarded = allAreas(rule, view)
  const isGuarded = (form: string): boolean =>
    guarded.some(({ folder, steps }) => {
      const names = namesBelow(folder, form)
      return names !== undefined && matchPath({ steps, foldersOnly }, names, { leaf: "perhaps a folder" }) !== "no"
    })
  return paths.some((path) => formsOf(path, view).some(isGuarded))
}

/**
 * Which names in a folder a deny or ask rule guards, links among them aside. `odd` are names that say nothing by
 * themselves: a guarded area, or the copy that stands for an original, may begin with them.
 */
export function guardedNames(
  rule: BasedPattern,
  folder: string,
  view: PathView,
): { readonly names: "any" | readonly (readonly Token[])[]; readonly odd: readonly string[] } {
  const { apart } = view.workspace
  const guarded = allAreas(rule, view)
  const left: (readonly Token[])[] = []
  const odd = [...guarded.map((area) => area.folder), ...(apart ? formsOf(apart.at, view) : [])]
  for (const form of formsOf(folder, view))
    for (const area of guarded) {
      const names = namesBelow(area.folder, form)
      const more = names === undefined ? [] : namesLeft(area, names)
      if (more === "any") return { names: "any", odd: [] }
      left.push(...more)
    }
  return { names: left, odd: odd.map((path) => posix.basename(path)) }
}

/** Whether a folder could contain something that a deny or ask rule guards. */
export function couldHold(rule: BasedPattern, folder: string, view: PathView): boolean {
  const guarded = allAreas(rule, view)
  return formsOf(folder, view).some((form) =>
    guarded.some((area) => {
      const names = namesBelow(area.folder, form)
      return names === undefined ? namesBelow(form, area.folder) !== undefined : couldMatchBelow(area, names)
    }),
  )
}

function allAreas(rule: BasedPattern, { workspace, cwd, forms }: PathView): readonly Area[] {
  const { anchor, up } = rule.pattern
  const fixed = rule.areas ?? guardedAreas(rule, workspace, forms)
  // A later `cd` must not move a rule away from the files it was written for, but may extend it.
  const moved = anchor === "cwd" && cwd !== workspace.root ? areasFrom(raised(cwd, up), rule, workspace, forms) : []
  return [...fixed, ...moved]
}

function formsOf(path: string, { workspace, forms }: PathView): readonly string[] {
  const all = withOriginals(forms(path), workspace.apart, forms)
  return workspace.ignoresCase ? all.map((form) => form.toLowerCase()) : all
}

/** For allow rules: every form of the path must match. */
export function loosens(rule: BasedPattern, path: string, view: PathView, access: "read" | "write"): boolean {
  const folders = view.forms(startOf(rule, view.workspace))
  return view.forms(path).every((form) =>
    folders.some((folder) => {
      const names = namesBelow(folder, form)
      if (names === undefined) return false
      const match = matchPath(rule.pattern, names, { leaf: "file" })
      // Reading a folder means reading what is in it; writing a folder's path does not.
      return match === "whole" || (match === "below" && access === "read")
    }),
  )
}

/** What a deny or ask rule guards, under every name. May be cached for a session: if a link changes later, the rule still guards its earlier target. */
export function guardedAreas(rule: BasedPattern, workspace: Workspace, forms: Forms): readonly Area[] {
  return areasFrom(startOf(rule, workspace), rule, workspace, forms)
}

function areasFrom(start: string, { pattern }: BasedPattern, workspace: Workspace, forms: Forms): readonly Area[] {
  const { steps } = pattern
  const areas = [...forms(start).map((folder) => ({ folder, steps })), ...behindLinks(start, steps, forms)]
  if (!workspace.ignoresCase) return areas
  return areas.map(({ folder, steps: rest }) => ({ folder: folder.toLowerCase(), steps: rest.map(inLowerCase) }))
}

function startOf({ pattern, base }: BasedPattern, { root, home }: Workspace): string {
  switch (pattern.anchor) {
    case "root":
      return "/"
    case "home":
      return raised(home, pattern.up)
    case "base":
      return raised(base ?? root, pattern.up)
    case "cwd":
      return raised(root, pattern.up)
  }
}

const raised = (folder: string, up: number): string => posix.join(folder, "../".repeat(up))

/** Where the literal beginning of a pattern leads through a link: the same file under its other name. */
function behindLinks(start: string, steps: readonly PatternStep[], forms: Forms): readonly Area[] {
  const wild = steps.findIndex((step) => step.kind === "folders" || step.plain === undefined)
  const plainSteps = wild === -1 ? steps : steps.slice(0, wild)
  if (plainSteps.length === 0) return []
  const path = posix.join(start, ...plainSteps.map((step) => (step.kind === "name" ? (step.plain ?? "") : "")))
  return forms(path)
    .filter((form) => form !== path)
    .map((folder) => ({ folder, steps: steps.slice(plainSteps.length) }))
}

/** The step for lower-case names; a character class then matches any character, so that none is missed because of its case. */
function inLowerCase(step: PatternStep): PatternStep {
  if (step.kind === "folders") return step
  const plain = step.plain?.toLowerCase()
  const tokens = step.tokens.map((token): Token => {
    if (token.kind === "char") return { ...token, char: token.char.toLowerCase() }
    return token.kind === "class" ? { kind: "one" } : token
  })
  // Beyond ASCII, a word in lower case is not always the same as its letters one by one.
  return { kind: "name", tokens, ...(plain !== undefined && /^[\x20-\x7e]+$/.test(plain) && { plain }) }
}
