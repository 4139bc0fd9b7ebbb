/** What is said of worktrees and of merging them. */

import type { Merged, MergeFailure } from "#ground/workspace/git/merge.ts"
import type { WorktreeWork } from "#ground/workspace/git/worktree-work.ts"
import { counted } from "#lib/figures.ts"
import { never } from "#lib/never.ts"

export const isUntouched = ({ commits, files }: WorktreeWork): boolean => commits === 0 && files.length === 0

export function workWords(work: WorktreeWork): string {
  if (isUntouched(work)) return "nothing changed"
  const commits = work.commits === 0 ? [] : [counted(work.commits, "commit")]
  const rest = work.isUncommitted ? ["not all committed"] : []
  return [`${counted(work.files.length, "file")} changed`, ...commits, ...rest].join(", ")
}

export const mergedWords = (name: string, { into, files }: Merged): string =>
  `Merged ${name} into ${into}: ${counted(files.length, "file")} changed.`

export function notMergedWords(name: string, failure: MergeFailure): string {
  switch (failure.kind) {
    case "conflicts":
      return `Not merged: ${name} and ${failure.into} both changed ${failure.files.join(", ")}. Nothing was changed. Merge ${failure.into} in the worktree, resolve the conflicts, and try again.`
    case "nothing_new":
      return `There is nothing to merge: ${failure.into} has all of it.`
    case "no_branch":
      return `Not merged: there is no branch ${failure.branch}.`
    case "uncommitted":
      return `Not merged: it would change files that you have changed and not committed: ${failure.files.join(", ")}. Commit them, and try again.`
    case "not_now":
      return `Not merged: ${failure.why}.`
    case "git":
      return `Not merged. git says: ${failure.why}`
    default:
      return never(failure)
  }
}
