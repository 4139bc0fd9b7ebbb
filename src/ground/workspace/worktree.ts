/** Git worktrees for agents: created for one, kept when it left something there, removed otherwise. */

import { existsSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { gitFile } from "./ask-git.ts"
import type { Processes } from "./process.ts"
import { readOnlyEnvironment } from "./shell/read-only-environment.ts"

export interface Worktree {
  readonly path: string
  readonly branch: string
}

export interface Worktrees {
  /** Created if it does not exist. The failure is a sentence. */
  readonly open: (name: string, signal: AbortSignal) => Promise<Result<Worktree, string>>
  /** Removes it with its branch, unless it contains something that is nowhere else. */
  readonly finish: (worktree: Worktree) => Promise<Result<"kept" | "removed", string>>
}

export interface WorktreeParts {
  readonly processes: Pick<Processes, "start">
  readonly clock: Clock
  readonly env: () => Readonly<Record<string, string>>
  /** The folder that contains `.git`. Git runs there: only for a repository the user trusts. */
  readonly repository: string
  readonly folder: string
}

/** Checking out a large repository takes a while. */
const longestMs = 120_000
const mostCharacters = 2_000

export function openWorktrees({ processes, clock, env, repository, folder }: WorktreeParts): Worktrees {
  const never = new AbortController().signal

  async function git(argv: readonly string[], cwd: string, signal: AbortSignal): Promise<Result<string, string>> {
    const file = gitFile()
    if (file === undefined) return failed("git is not installed")
    // No hook of the repository runs, and nothing is asked of anyone.
    const started = processes.start({ file, argv, cwd, env: readOnlyEnvironment(env()) })
    if (!started.ok) return failed("git could not be started")
    const child = started.value
    const cancel = clock.after(longestMs, child.kill)
    signal.addEventListener("abort", child.kill, { once: true })
    const [out, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    cancel()
    signal.removeEventListener("abort", child.kill)
    if (signal.aborted) return failed("it was interrupted")
    return code === 0 ? ok(out.trim()) : failed(errors.trim().slice(0, mostCharacters) || `git ended with ${code}`)
  }

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

  async function clear({ path, branch }: Worktree, signal: AbortSignal): Promise<Result<string, string>> {
    // Twice, because it is locked.
    const removed = await git(["worktree", "remove", "--force", "--force", path], repository, signal)
    return removed.ok ? git(["branch", "-D", branch], repository, signal) : removed
  }

  return {
    async open(name, signal) {
      const worktree: Worktree = { path: join(folder, name), branch: `codewright/${name}` }
      if (existsSync(worktree.path)) {
        if (!(await isHalfMade(worktree.path, signal))) return ok(worktree)
        const cleared = await clear(worktree, signal)
        if (!cleared.ok) return failed(`The worktree ${worktree.path} is not whole: ${cleared.failure}`)
      }
      await mkdir(dirname(worktree.path), { recursive: true, mode: 0o700 }).catch(() => {})
      const added = await git(["worktree", "add", "-b", worktree.branch, worktree.path, "HEAD"], repository, signal)
      return added.ok ? ok(worktree) : failed(`No worktree could be made: ${added.failure}`)
    },
    async finish(worktree) {
      const held = await holdsSomething(worktree)
      if (!held.ok) return failed(`The worktree ${worktree.path} is kept: ${held.failure}`)
      if (held.value) return ok("kept")
      const removed = await git(["worktree", "remove", worktree.path], repository, never)
      if (!removed.ok) return failed(`The worktree ${worktree.path} could not be removed: ${removed.failure}`)
      const forgotten = await git(["branch", "-D", worktree.branch], repository, never)
      return forgotten.ok
        ? ok("removed")
        : failed(`The branch ${worktree.branch} could not be removed: ${forgotten.failure}`)
    },
  }
}
