/** How git is run for sessions that work in a repository. The failure is what git said. */

import { failed, ok, type Result } from "#lib/result.ts"
import { gitFile } from "#ground/workspace/git/ask-git.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"

export interface RunParts {
  readonly processes: Pick<Processes, "start" | "feed">
  readonly env: () => Readonly<Record<string, string>>
}

/**
 * `local`: nothing but what is on this disk, and nothing that a repository names is started. `network`: with the credentials of whoever runs the
 * worker, so only in repositories that no session can write to.
 */
export type RunGit = (
  where: "local" | "network",
  cwd: string,
  argv: readonly string[],
  more?: { readonly env?: Readonly<Record<string, string>>; readonly input?: string },
) => Promise<Result<string, string>>

const mostOutput = 200_000_000
const longestMs = 600_000

export const openRunGit =
  ({ processes, env }: RunParts): RunGit =>
  async (where, cwd, argv, more = {}) => {
    const file = gitFile()
    if (file === undefined) return failed("git is not installed")
    const plain = { ...env(), GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" }
    const local = { ...readOnlyEnvironment(plain), GIT_CONFIG_GLOBAL: "/dev/null", GIT_ALLOW_PROTOCOL: "file" }
    const program = { file, argv, cwd, env: { ...(where === "network" ? plain : local), ...more.env } }
    if (more.input !== undefined) {
      const { input } = more
      const signal = new AbortController().signal
      const fed = processes.feed({ ...program, input, timeoutMs: longestMs, signal, mostBytes: mostOutput })
      if (!fed.ok) return failed("git could not be started")
      const { exitCode, stdout, stderr } = await fed.value.ended
      return ended(exitCode ?? -1, text(stdout), text(stderr))
    }
    const started = processes.start(program)
    if (!started.ok) return failed("git could not be started")
    const { stdout, stderr, exited } = started.value
    const [out, errors, code] = await Promise.all([new Response(stdout).text(), new Response(stderr).text(), exited])
    return ended(code, out, errors)
  }

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const ended = (code: number, out: string, errors: string): Result<string, string> =>
  code === 0
    ? ok(out.trimEnd())
    : failed(ofSomebodyElse(errors) ?? (errors.trim().slice(0, 1000) || `git ended with ${code}`))

/** Usual in containers. What git advises would be done by whoever reads it, in an account that no worker has. */
function ofSomebodyElse(errors: string): string | undefined {
  const [, folder] = /detected dubious ownership in repository at '([^'\n]+)'/.exec(errors) ?? []
  return folder === undefined
    ? undefined
    : `${folder} belongs to another user than the one that runs the worker, so git does not read it. Make it theirs, or run as the worker's user: git config --global --add safe.directory '${folder}'`
}

/** One after the other, until one fails. The answer is the last one's. */
export async function inOrder(
  steps: readonly (() => Promise<Result<string, string>>)[],
): Promise<Result<string, string>> {
  let last: Result<string, string> = ok("")
  for (const step of steps) {
    last = await step()
    if (!last.ok) return last
  }
  return last
}
