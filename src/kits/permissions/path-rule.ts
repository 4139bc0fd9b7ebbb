/** Whether a path rule speaks about a path. A rule that tightens errs towards matching, one that loosens away from it. */

import { posix } from "node:path"
import { matchPath, type PathPattern, type PatternStep } from "./path-pattern.ts"
import { formsOf, namesBelow, type RealPath, type Workspace } from "./paths.ts"
import type { Token } from "./wildcard.ts"

/** What is needed to know where a pattern begins. */
export interface PathView {
  readonly workspace: Workspace
  readonly cwd: string
  readonly realPath: RealPath
}

/** A pattern and the folder of the settings it stands in. */
export interface BasedPattern {
  readonly pattern: PathPattern
  readonly base?: string | undefined
}

/** For deny and ask rules: one form of the path that matches is enough. */
export function tightens(rule: BasedPattern, path: string, view: PathView): boolean {
  const { workspace, cwd, realPath } = view
  // A later `cd` must not carry a rule away from the files it was written for.
  const starts = [
    ...startsOf(rule, workspace),
    ...(rule.pattern.anchor === "cwd" ? [raised(cwd, rule.pattern.up)] : []),
  ]
  const areas = starts.flatMap((start) => [
    ...formsOf(start, realPath).map((folder) => ({ folder, steps: rule.pattern.steps })),
    ...behindLinks(start, rule.pattern.steps, realPath),
  ])
  const fold = (text: string): string => (workspace.ignoresCase ? text.toLowerCase() : text)
  return formsOf(path, realPath).some((form) =>
    areas.some(({ folder, steps }) => {
      const names = namesBelow(fold(folder), fold(form))
      const pattern = {
        steps: workspace.ignoresCase ? steps.map(folded) : steps,
        foldersOnly: rule.pattern.foldersOnly,
      }
      return names !== undefined && matchPath(pattern, names, { leaf: "perhaps a folder" }) !== "no"
    }),
  )
}

/** For allow rules: every form of the path must match. */
export function loosens(rule: BasedPattern, path: string, view: PathView, access: "read" | "write"): boolean {
  const { workspace, realPath } = view
  const folders = startsOf(rule, workspace).flatMap((start) => formsOf(start, realPath))
  return formsOf(path, realPath).every((form) =>
    folders.some((folder) => {
      const names = namesBelow(folder, form)
      if (names === undefined) return false
      const match = matchPath(rule.pattern, names, { leaf: "file" })
      // To read a folder is to read what is in it; to write a folder's path is something else.
      return match === "whole" || (match === "below" && access === "read")
    }),
  )
}

function startsOf({ pattern, base }: BasedPattern, { root, home }: Workspace): readonly string[] {
  switch (pattern.anchor) {
    case "root":
      return ["/"]
    case "home":
      return [raised(home, pattern.up)]
    case "base":
      return [raised(base ?? root, pattern.up)]
    case "cwd":
      return [raised(root, pattern.up)]
  }
}

const raised = (folder: string, up: number): string => posix.join(folder, "../".repeat(up))

/** Where the plain beginning of a pattern leads when it goes through a link: the file is the same under its other name. */
function behindLinks(
  start: string,
  steps: readonly PatternStep[],
  realPath: RealPath,
): readonly { readonly folder: string; readonly steps: readonly PatternStep[] }[] {
  const wild = steps.findIndex((step) => step.kind === "folders" || step.plain === undefined)
  const plainSteps = wild === -1 ? steps : steps.slice(0, wild)
  if (plainSteps.length === 0) return []
  const path = posix.join(start, ...plainSteps.map((step) => (step.kind === "name" ? (step.plain ?? "") : "")))
  const real = realPath(path)
  return real === path ? [] : [{ folder: real, steps: steps.slice(plainSteps.length) }]
}

/** The step for names in lower case; a class of characters then stands for any, so that none slips through by its case. */
function folded(step: PatternStep): PatternStep {
  if (step.kind === "folders") return step
  const tokens = step.tokens.map((token): Token => {
    if (token.kind === "char") return { ...token, char: token.char.toLowerCase() }
    return token.kind === "class" ? { kind: "one" } : token
  })
  return { ...step, tokens }
}
