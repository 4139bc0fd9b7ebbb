/** The branch one works on, read from the files of git without starting it. */

import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** The start of the commit id when HEAD is detached; undefined outside a repository. */
export function currentBranch(folder: string): string | undefined {
  const head = headOf(folder)
  const name = /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1]
  return name ?? (head && /^[0-9a-f]{40,}$/.test(head) ? head.slice(0, 8) : undefined)
}

function headOf(folder: string): string | undefined {
  const git = join(folder, ".git")
  const head = read(join(git, "HEAD"))
  if (head !== undefined) return head
  // In a worktree, `.git` is a file that says where the rest is.
  const elsewhere = /^gitdir: (.+)$/.exec(read(git) ?? "")?.[1]
  if (elsewhere !== undefined) return read(join(resolve(folder, elsewhere), "HEAD"))
  const parent = dirname(folder)
  return parent === folder ? undefined : headOf(parent)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    return undefined
  }
}
