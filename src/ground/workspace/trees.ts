/** What is below folders, each walked once: created again for every decision. */

import { onceEach } from "#lib/once-each.ts"
import type { ReadFolder } from "./search/folder-entries.ts"
import type { WalkedFile, ShellPlace, WalkLimits } from "./shell/analysis.ts"
import { under } from "./shell/paths.ts"

export interface Trees extends Required<Pick<ShellPlace, "everything" | "everyLink">> {
  /**
   * Every path below a folder, relative to it, following no link and without folders of the name left out; undefined
   * when there are too many.
   */
  readonly below: (folder: string, leftOut?: string) => readonly string[] | undefined
}

export function openTrees(entries: ReadFolder): Trees {
  const whole = onceEach((folder) => walk(folder, entries, {}))
  const links = onceEach((folder) =>
    whole(folder)?.flatMap(({ path, isLink }) => (isLink ? [`${folder}/${path}`] : [])),
  )
  return {
    everything: (folder, limits) => (limits ? walk(folder, entries, limits) : whole(folder)),
    everyLink: links,
    below(folder, leftOut) {
      const skips = (path: string): boolean => path === leftOut || path.endsWith(`/${leftOut}`)
      const found = leftOut === undefined ? whole(folder) : walk(folder, entries, { skips })
      return found?.map(({ path }) => path)
    },
  }
}

/** How many names are read below a folder: a huge tree is not worth the wait. */
const mostNames = 5000

/** Follows no link; undefined when there are too many names. */
function walk(
  folder: string,
  entries: ReadFolder,
  { depth = Number.POSITIVE_INFINITY, skips }: WalkLimits,
): readonly WalkedFile[] | undefined {
  const found: WalkedFile[] = []
  let level = [""]
  for (let deep = 1; level.length > 0 && deep <= depth; deep++) {
    const next: string[] = []
    for (const at of level) {
      for (const { name, isFolder, isLink } of entries(at === "" ? folder : under(folder, at)) ?? []) {
        if (found.length >= mostNames) return undefined
        const path = at === "" ? name : `${at}/${name}`
        found.push({ path, isLink })
        if (isFolder && !skips?.(path)) next.push(path)
      }
    }
    level = next
  }
  return found
}
