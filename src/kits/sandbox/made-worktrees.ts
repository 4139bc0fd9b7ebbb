/**
 * Worktrees that appeared while a confined command ran. That command could have written anything in them, so holding it afterwards protects nothing, and
 * would only keep git from removing the worktree.
 */

import type { Disk } from "./facts.ts"
import { ownRepository } from "./git-folders.ts"

export interface MadeWorktrees {
  readonly now: () => ReadonlySet<string>
  /** Call when a confined command starts; call the result when it has ended. */
  readonly begin: () => () => void
}

export function openMadeWorktrees({ root, disk }: { readonly root: string; readonly disk: Disk }): MadeWorktrees {
  let made: ReadonlySet<string> = new Set()

  const present = (): readonly string[] =>
    ownRepository(root, disk).flatMap(({ path }) =>
      disk.list(`${path}/worktrees`).flatMap(({ name, isFolder }) => (isFolder ? [`${path}/worktrees/${name}`] : [])),
    )

  return {
    now: () => made,
    begin() {
      const before = new Set(present())
      return () => {
        const now = present().filter((path) => made.has(path) || !before.has(path))
        if (now.length !== made.size || now.some((path) => !made.has(path))) made = new Set(now)
      }
    },
  }
}
