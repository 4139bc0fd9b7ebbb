/** Runs ripgrep and gives what it printed: bounded in time and size, ended when nobody wants it any more. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Processes } from "./process.ts"
import { sayProcess } from "./process-groups.ts"

export type SearchFailure =
  /** ripgrep's own words about the pattern or the file type. */
  | { readonly kind: "bad_query"; readonly message: string }
  | { readonly kind: "timed_out"; readonly seconds: number }
  | { readonly kind: "aborted" }
  | { readonly kind: "unavailable"; readonly message: string }

export interface RipgrepRun {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  /** Bytes of output at which the search is ended. */
  readonly mostBytes: number
  readonly signal: AbortSignal
}

export interface RipgrepOutput {
  readonly text: string
  /** Whether the search was ended before it was through, and why. */
  readonly cut: "no" | "time" | "size"
}

export type Ripgrep = (run: RipgrepRun) => Promise<Result<RipgrepOutput, SearchFailure>>

export function openRipgrep({
  file,
  processes,
  clock,
}: {
  readonly file: string
  readonly processes: Processes
  readonly clock: Clock
}): Ripgrep {
  return async ({ argv, cwd, timeoutMs, mostBytes, signal }) => {
    if (signal.aborted) return failed({ kind: "aborted" })
    const started = processes.start({ file, argv: [...always, ...argv], cwd, env: {} })
    if (!started.ok) return failed({ kind: "unavailable", message: sayProcess(started.failure) })
    const child = started.value
    const ended: { cut: RipgrepOutput["cut"] } = { cut: "no" }
    const endFor = (why: "time" | "size"): void => {
      if (ended.cut === "no") ended.cut = why
      child.kill()
    }
    const cancelTimer = clock.after(timeoutMs, () => endFor("time"))
    const onAbort = (): void => child.kill()
    signal.addEventListener("abort", onAbort, { once: true })
    const [stdout, stderr, exitCode] = await Promise.all([
      readSome(child.stdout, mostBytes, () => endFor("size")),
      readSome(child.stderr, mostErrorBytes, () => {}),
      child.exited,
    ])
    cancelTimer()
    signal.removeEventListener("abort", onAbort)
    if (signal.aborted) return failed({ kind: "aborted" })
    const { cut } = ended
    const message = stderr.trim()
    // Code 2 without words means that some file could not be read, which is no reason to hide the others.
    if (exitCode === 2 && message !== "" && cut === "no") return failed({ kind: "bad_query", message })
    if (cut === "time" && stdout === "") return failed({ kind: "timed_out", seconds: timeoutMs / 1000 })
    return ok({ text: stdout, cut })
  }
}

/** No settings of the person's own, no colours, no words about files that cannot be read; .gitignore counts without git. */
const always: readonly string[] = ["--no-config", "--color=never", "--no-messages", "--no-require-git"]

const mostErrorBytes = 100_000

async function readSome(stream: ReadableStream<Uint8Array>, most: number, onFull: () => void): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of stream) {
    // What comes after the limit is read and dropped, so that the program is never stuck on a full pipe.
    if (bytes > most) continue
    parts.push(part)
    bytes += part.length
    if (bytes > most) onFull()
  }
  const text = Buffer.concat(parts).toString("utf8")
  // Cut at a record's end: half a line would look like a whole one.
  return bytes > most ? text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\0")) + 1) : text
}
