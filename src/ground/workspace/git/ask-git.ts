/** Runs git so that nothing the repository names is started: where that cannot be guaranteed, git is not run. */

import { existsSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import { readOnlyEnvironment } from "#ground/workspace/shell/read-only-environment.ts"
import { repositoryRunsPrograms } from "#ground/workspace/shell/programs/repository.ts"
import { disk } from "#ground/workspace/disk.ts"

/** What git printed, up to a bound; `cut` when there is more. Undefined when it was not run or failed. */
export type AskGit = (
  argv: readonly string[],
  cwd: string,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly cut: boolean } | undefined>

const usualMs = 2_000
const mostBytes = 2_000_000

export function openAskGit({
  processes,
  clock,
  env,
  file = gitFile(),
  longestMs = usualMs,
}: {
  readonly processes: Pick<Processes, "start">
  readonly clock: Clock
  readonly env: () => Readonly<Record<string, string>>
  /** Defaults to the system's git. */
  readonly file?: string | undefined
  /** Git is ended after this time, and nothing is known. */
  readonly longestMs?: number
}): AskGit {
  return async (argv, cwd, signal) => {
    if (file === undefined || signal.aborted || repositoryRunsPrograms(cwd, disk)) return undefined
    const started = processes.start({ file, argv: ["--no-pager", ...argv], cwd, env: readOnlyEnvironment(env()) })
    if (!started.ok) return undefined
    const child = started.value
    let isLate = false
    const cancel = clock.after(longestMs, () => {
      isLate = true
      child.kill()
    })
    const onAbort = (): void => child.kill()
    signal.addEventListener("abort", onAbort, { once: true })
    const [out, , code] = await Promise.all([
      readSome(child.stdout, child.kill),
      readSome(child.stderr, () => {}),
      child.exited,
    ])
    cancel()
    signal.removeEventListener("abort", onAbort)
    if (signal.aborted || isLate || (code !== 0 && !out.cut)) return undefined
    return out
  }
}

const programs = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git", "/run/current-system/sw/bin/git"]

/** Never searched for on the PATH, which may include a project's own folders. */
export function gitFile(): string | undefined {
  return programs.find((path) => existsSync(path))
}

async function readSome(
  stream: ReadableStream<Uint8Array>,
  onFull: () => void,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of stream) {
    if (bytes > mostBytes) continue
    parts.push(part)
    bytes += part.length
    if (bytes > mostBytes) onFull()
  }
  return { text: Buffer.concat(parts).toString("utf8"), cut: bytes > mostBytes }
}
