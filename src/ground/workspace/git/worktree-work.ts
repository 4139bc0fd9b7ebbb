/** What was done in a worktree, and what can become of it: merged into the repository's branch, or removed with all of it. */

import { failed, ok, type Result } from "#lib/result.ts"
import { type Merged, type MergeFailure, openMerge } from "./merge.ts"
import { openGit, printed } from "./run-git.ts"
import type { Worktree, WorktreeParts } from "./worktree.ts"

export interface WorktreeWork {
  /** Those that the branch of the repository does not have. */
  readonly commits: number
  /** Files that are not as they were at the beginning, committed or not. */
  readonly files: readonly string[]
  /** Whether some of it is in no commit. */
  readonly isUncommitted: boolean
}

export interface WorktreeWorks {
  /** The failure is a sentence. */
  readonly inspect: (worktree: Worktree, signal: AbortSignal) => Promise<Result<WorktreeWork, string>>
  /** Commits what is left first. */
  readonly merge: (
    worktree: Worktree,
    messages: { readonly rest: string; readonly merge: string },
    signal: AbortSignal,
  ) => Promise<Result<Merged, MergeFailure>>
  /** With its branch and whatever is in it. */
  readonly discard: (worktree: Worktree, signal: AbortSignal) => Promise<Result<void, string>>
}

export function openWorktreeWorks(parts: WorktreeParts): WorktreeWorks {
  const { repository } = parts
  const run = openGit(parts)
  const git = async (argv: readonly string[], cwd: string, signal: AbortSignal): Promise<Result<string, string>> =>
    printed(await run(argv, cwd, signal))

  async function inspect({ path, branch }: Worktree, signal: AbortSignal): Promise<Result<WorktreeWork, string>> {
    const base = await git(["merge-base", "HEAD", branch], repository, signal)
    if (!base.ok) return base
    const [commits, changed, status] = await Promise.all([
      git(["rev-list", "--count", `HEAD..${branch}`], repository, signal),
      git(["diff", "--name-only", "-z", base.value], path, signal),
      git(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"], path, signal),
    ])
    if (!commits.ok) return commits
    if (!changed.ok) return changed
    if (!status.ok) return status
    const left = names(status.value).map((line) => line.slice(3))
    return ok({
      commits: Number(commits.value),
      files: [...new Set([...names(changed.value), ...left])].sort(),
      isUncommitted: left.length > 0,
    })
  }

  return {
    inspect,
    async merge(worktree, messages, signal) {
      const { path, branch } = worktree
      const work = await inspect(worktree, signal)
      if (!work.ok) return failed({ kind: "git", why: work.failure })
      if (work.value.isUncommitted) {
        const added = await git(["add", "--all"], path, signal)
        if (!added.ok) return failed({ kind: "git", why: added.failure })
        const committed = await git(
          ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", messages.rest],
          path,
          signal,
        )
        if (!committed.ok) return failed({ kind: "git", why: committed.failure })
      }
      return openMerge(parts)({ branch, folder: path, message: messages.merge, signal })
    },
    async discard({ path, branch }, signal) {
      const removed = await git(["worktree", "remove", "--force", "--force", path], repository, signal)
      if (!removed.ok) return removed
      const forgotten = await git(["branch", "-D", branch], repository, signal)
      return forgotten.ok ? ok(undefined) : forgotten
    },
  }
}

const names = (zeroed: string): readonly string[] => zeroed.split("\0").filter((name) => name !== "")
