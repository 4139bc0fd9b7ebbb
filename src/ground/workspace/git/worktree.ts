/** Git worktrees for agents: created for one, kept when it left something there, removed otherwise. */

import { existsSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { type GitParts, openGit, printed, type RunGit } from "./run-git.ts"

export interface Worktree {
  readonly path: string
  readonly branch: string
}

export interface Worktrees {
  /** Created if it does not exist. The failure is a sentence. */
  readonly open: (name: string, signal: AbortSignal) => Promise<Result<Worktree, string>>
  /** Whether a worktree or a branch has the name. */
  readonly has: (name: string, signal: AbortSignal) => Promise<boolean>
  /** Removes it with its branch, unless it contains something that is nowhere else. */
  readonly finish: (worktree: Worktree) => Promise<Result<"kept" | "removed", string>>
}

export interface WorktreeParts extends GitParts {
  /** The folder that contains `.git`. Git runs there: only for a repository the user trusts. */
  readonly repository: string
  readonly folder: string
}

/** What git says if another worktree of the repository is being made at the same moment. */
const inTheWay = /failed to read .*commondir|\.lock|cannot lock ref/i
const mostTries = 8
const retryMs = 50

export function openWorktrees(parts: WorktreeParts): Worktrees {
  const { repository, folder } = parts
  const never = new AbortController().signal
  const run = openGit(parts)
  const git = async (...asked: Parameters<RunGit>): Promise<Result<string, string>> => printed(await run(...asked))

  /** Whether it has a change, or a commit that no other branch has. */
  async function holdsSomething({ path, branch }: Worktree): Promise<Result<boolean, string>> {
    const status = await git(["status", "--porcelain"], path, never)
    if (!status.ok || status.value !== "") return status.ok ? ok(true) : status
    const others = ["--not", "HEAD", `--exclude=${branch}`, "--branches"]
    const own = await git(["rev-list", "--max-count=1", branch, ...others], repository, never)
    return own.ok ? ok(own.value !== "") : own
  }

  /**
   * Whether the program ended while it was being created: git locks it until all files are there. No one has worked in
   * it then.
   */
  async function isHalfMade(path: string, signal: AbortSignal): Promise<boolean> {
    const administration = await git(["rev-parse", "--absolute-git-dir"], path, signal)
    if (!administration.ok) return false
    const lock = await readFile(join(administration.value, "locked"), "utf8").catch(() => "")
    return lock.trim() === "initializing" || !existsSync(join(administration.value, "index"))
  }

  const hasBranch = async (branch: string, signal: AbortSignal): Promise<boolean> =>
    (await git(["show-ref", "--verify", "--quiet", `refs/heads/${branch}`], repository, signal)).ok

  async function add({ path, branch }: Worktree, signal: AbortSignal): Promise<Result<string, string>> {
    for (let tries = 1; ; tries++) {
      // A try that failed half way may have left the branch.
      const isThere = tries > 1 && (await hasBranch(branch, signal))
      const how = isThere ? [path, branch] : ["-b", branch, path, "HEAD"]
      const added = await git(["worktree", "add", "--quiet", ...how], repository, signal)
      if (added.ok || tries === mostTries || !inTheWay.test(added.failure)) return added
      // Only a branch without commits of its own goes.
      if (!existsSync(path)) await git(["branch", "-d", branch], repository, signal)
      await parts.clock.sleep(retryMs * tries, signal)
    }
  }

  async function clear({ path, branch }: Worktree, signal: AbortSignal): Promise<Result<string, string>> {
    // Twice, because it is locked.
    const removed = await git(["worktree", "remove", "--force", "--force", path], repository, signal)
    return removed.ok ? git(["branch", "-D", branch], repository, signal) : removed
  }

  async function whyNone(failure: string): Promise<string> {
    const head = await git(["rev-parse", "--verify", "--quiet", "HEAD"], repository, never)
    return head.ok
      ? `No worktree could be made: ${failure}`
      : "No worktree could be made: it begins with the last commit, and this repository has none."
  }

  const named = (name: string): Worktree => ({ path: join(folder, name), branch: `codewright/${name}` })

  return {
    async has(name, signal) {
      const { path, branch } = named(name)
      return existsSync(path) || hasBranch(branch, signal)
    },
    async open(name, signal) {
      const worktree = named(name)
      if (existsSync(worktree.path)) {
        if (!(await isHalfMade(worktree.path, signal))) return ok(worktree)
        const cleared = await clear(worktree, signal)
        if (!cleared.ok) return failed(`The worktree ${worktree.path} is not whole: ${cleared.failure}`)
      }
      await mkdir(dirname(worktree.path), { recursive: true, mode: 0o700 }).catch(() => {})
      const isNew = !(await hasBranch(worktree.branch, signal))
      const added = await add(worktree, signal)
      if (added.ok) return ok(worktree)
      // Git makes the branch first, and leaves it. One that another process works on stays.
      if (isNew) await git(["branch", "-d", worktree.branch], repository, never)
      return failed(await whyNone(added.failure))
    },
    async finish(worktree) {
      const workLeft = await holdsSomething(worktree)
      if (!workLeft.ok) return failed(`The worktree ${worktree.path} is kept: ${workLeft.failure}`)
      if (workLeft.value) return ok("kept")
      const removed = await git(["worktree", "remove", worktree.path], repository, never)
      if (!removed.ok) return failed(`The worktree ${worktree.path} could not be removed: ${removed.failure}`)
      const forgotten = await git(["branch", "-D", worktree.branch], repository, never)
      return forgotten.ok
        ? ok("removed")
        : failed(`The branch ${worktree.branch} could not be removed: ${forgotten.failure}`)
    },
  }
}
