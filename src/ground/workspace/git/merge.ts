/** Merges a branch into the one that is checked out: whole, or not at all. What would conflict is found without touching a file. */

import { failed, ok, type Result } from "#lib/result.ts"
import { type GitParts, openGit, printed } from "./run-git.ts"

export interface Merged {
  /** The branch it was merged into. */
  readonly into: string
  readonly commits: number
  readonly files: readonly string[]
}

export type MergeFailure =
  | { readonly kind: "no_branch"; readonly branch: string }
  /** HEAD is detached, or another merge or rebase is under way. */
  | { readonly kind: "not_now"; readonly why: string }
  /** Tracked files with changes that are in no commit: of the repository, those that the merge would change; of the branch's folder, all. */
  | { readonly kind: "uncommitted"; readonly folder: string; readonly files: readonly string[] }
  | { readonly kind: "conflicts"; readonly files: readonly string[]; readonly into: string }
  | { readonly kind: "nothing_new"; readonly into: string }
  | { readonly kind: "git"; readonly why: string }

export interface MergeAsk {
  readonly branch: string
  /** Where the branch is checked out, if it is: what is not committed there would be left behind. */
  readonly folder?: string | undefined
  readonly message: string
  readonly signal: AbortSignal
}

export type Merge = (ask: MergeAsk) => Promise<Result<Merged, MergeFailure>>

export function openMerge(parts: GitParts & { readonly repository: string }): Merge {
  const { repository } = parts
  const run = openGit(parts)

  return async ({ branch, folder, message, signal }) => {
    const git = async (argv: readonly string[], cwd = repository): Promise<Result<string, MergeFailure>> => {
      const end = printed(await run(argv, cwd, signal))
      return end.ok ? end : failed({ kind: "git", why: end.failure })
    }
    const uncommitted = async (cwd: string, among?: ReadonlySet<string>): Promise<Result<undefined, MergeFailure>> => {
      const status = await git(["status", "--porcelain", "-z", "--untracked-files=no"], cwd)
      if (!status.ok) return status
      const files = filesOf(status.value).filter((file) => among?.has(file) ?? true)
      return files.length === 0 ? ok(undefined) : failed({ kind: "uncommitted", folder: cwd, files })
    }

    const into = await git(["symbolic-ref", "--quiet", "--short", "HEAD"])
    if (!into.ok) return failed({ kind: "not_now", why: "no branch is checked out" })
    const open = await git(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])
    if (open.ok) return failed({ kind: "not_now", why: "another merge is under way; finish or abort it first" })
    const tip = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}^{commit}`])
    if (!tip.ok) return failed({ kind: "no_branch", branch })
    const left = folder === undefined ? ok(undefined) : await uncommitted(folder)
    if (!left.ok) return left
    const count = await git(["rev-list", "--count", `HEAD..${tip.value}`])
    if (!count.ok) return count
    if (count.value === "0") return failed({ kind: "nothing_new", into: into.value })
    const tried = await run(["merge-tree", "--write-tree", "--name-only", "-z", "HEAD", tip.value], repository, signal)
    if (!tried.ok) return failed({ kind: "git", why: tried.failure })
    if (tried.value.code === 1) {
      const [, ...rest] = tried.value.out.split("\0")
      return failed({ kind: "conflicts", files: rest.slice(0, rest.indexOf("")), into: into.value })
    }
    if (tried.value.code !== 0) return failed({ kind: "git", why: tried.value.errors })
    const tree = tried.value.out.split("\0")[0] ?? ""
    const changed = await git(["diff", "--name-only", "-z", "HEAD", tree])
    if (!changed.ok) return changed
    const files = changed.value.split("\0").filter((file) => file !== "")
    const free = await uncommitted(repository, new Set(files))
    if (!free.ok) return free
    const commit = await git(["commit-tree", "--no-gpg-sign", "-p", "HEAD", "-p", tip.value, "-m", message, tree])
    if (!commit.ok) return commit
    // A fast-forward leaves other changes alone, also staged ones. It stops before it writes if a file is in the way.
    const merged = await git(["merge", "--ff-only", "--quiet", commit.value])
    if (!merged.ok) return merged
    return ok({ into: into.value, commits: Number(count.value), files })
  }
}

/** The names in `git status --porcelain -z`; a rename names the old file too. */
function filesOf(status: string): readonly string[] {
  const fields = status.split("\0").filter((field) => field !== "")
  return fields.map((field) => (/^[ MADRCUT?!]{2} /.test(field) ? field.slice(3) : field))
}
