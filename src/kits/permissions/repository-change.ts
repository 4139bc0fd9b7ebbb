/**
 * Whether a call makes a folder a git repository, or changes the settings of one, whatever the folder is called: git
 * knows a repository by the names in it, and runs programs that it names.
 */

import { hasRepositoryShape, isNearlyRepository } from "#ground/workspace/git/repository-shape.ts"
import type { JudgedCall } from "./call.ts"
import { namesBelow } from "./paths.ts"

/** What git reads settings, hooks or places from. */
const deciding: ReadonlySet<string> = new Set(["head", "commondir", "gitdir", "config", "config.worktree", "hooks"])
const settings: ReadonlySet<string> = new Set(["config", "config.worktree"])
/** Parts that are folders, so that a path may lead through them. */
const folders: ReadonlySet<string> = new Set(["objects", "refs", "hooks"])

const isPart = (name: string): boolean => deciding.has(name) || folders.has(name)

/** The folder, and why changing it is asked about. `paths` are all that the call writes, so that parts are seen together. */
export function repositoryChange(
  paths: readonly string[],
  { forms, list, workspace }: Pick<JudgedCall, "forms" | "list" | "workspace">,
): { readonly path: string; readonly why: string } | undefined {
  const written = new Map<string, { readonly path: string; readonly parts: Set<string> }>()
  const own = workspace.own.flatMap(forms)
  for (const path of paths) {
    if (!mayBePart(path)) continue
    for (const form of forms(path)) {
      if (own.some((folder) => namesBelow(folder, form) !== undefined)) continue
      for (const { folder, part } of partsIn(form)) {
        const before = written.get(folder)
        if (before) before.parts.add(part)
        else written.set(folder, { path, parts: new Set([part]) })
      }
    }
  }
  for (const [folder, { path, parts }] of written) {
    const there = list(folder) ?? []
    if (isChange(there, parts))
      return { path, why: "git takes this folder for a repository, and runs programs that one names" }
  }
  return undefined
}

function isChange(there: readonly string[], parts: ReadonlySet<string>): boolean {
  const after = [...there, ...parts]
  if (hasRepositoryShape(after)) return parts.intersection(deciding).size > 0 || !hasRepositoryShape(there)
  return isNearlyRepository(after) && parts.intersection(settings).size > 0
}

/** Most paths have none of these names. */
const mayBePart = (path: string): boolean =>
  /(?:^|\/)(?:head|objects|refs|config|hooks|commondir|gitdir)(?:[/.]|$)/i.test(path)

/** Every folder that a path could be in as a part of a repository. */
function partsIn(path: string): readonly { readonly folder: string; readonly part: string }[] {
  const names = path.split("/")
  return names.flatMap((name, at) => {
    const part = name.toLowerCase()
    const isWhole = at === names.length - 1
    if (at === 0 || !isPart(part) || !(isWhole || folders.has(part))) return []
    return [{ folder: names.slice(0, at).join("/") || "/", part }]
  })
}
