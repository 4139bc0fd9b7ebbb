/** Runs git for our own work in a repository that the user trusts: no hook of the repository runs, and nothing is asked of anyone. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { gitFile } from "./ask-git.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"

export interface GitParts {
  readonly processes: Pick<Processes, "start">
  readonly clock: Clock
  readonly env: () => Readonly<Record<string, string>>
}

export interface GitEnd {
  readonly code: number
  readonly out: string
  /** Cut to what a person would read. */
  readonly errors: string
}

/** The failure is a sentence: git did not run to its end. */
export type RunGit = (argv: readonly string[], cwd: string, signal: AbortSignal) => Promise<Result<GitEnd, string>>

/** Checking out a large repository takes a while. */
const longestMs = 120_000
const mostCharacters = 2_000

export const openGit =
  ({ processes, clock, env }: GitParts): RunGit =>
  async (argv, cwd, signal) => {
    const file = gitFile()
    if (file === undefined) return failed("git is not installed")
    if (signal.aborted) return failed("it was interrupted")
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
    return ok({ code, out: out.trimEnd(), errors: errors.trim().slice(0, mostCharacters) })
  }

/** What git printed, if it ended well; otherwise what it complained about. */
export function printed(end: Result<GitEnd, string>): Result<string, string> {
  if (!end.ok) return end
  const { code, out, errors } = end.value
  return code === 0 ? ok(out) : failed(errors || `git ended with ${code}`)
}
