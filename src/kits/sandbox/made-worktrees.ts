/**
 * Worktrees that appeared while a confined command ran. Whatever is in them that command could have written, so to hold
 * it afterwards protects nothing, and would only keep git from removing the worktree again.
 */

import type { Disk } from "./facts.ts"
import { ownRepository } from "./git-folders.ts"

export interface MadeWorktrees {
  /** The folders that git keeps for them; another set whenever one was made or removed. */
  readonly now: () => ReadonlySet<string>
  /** A confined command starts; to be called when it has ended. */
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
