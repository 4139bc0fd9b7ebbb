/** Runs ripgrep and returns its output: bounded in time and size, stopped when no one wants it any more. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import { withoutPseudo } from "./pseudo-folders.ts"
import { sayProcess } from "#ground/workspace/processes/process-groups.ts"

export type SearchFailure =
  /** ripgrep's own words about the pattern or the file type. */
  | { readonly kind: "bad_query"; readonly message: string }
  | { readonly kind: "timed_out"; readonly seconds: number }
  | { readonly kind: "aborted" }
  | { readonly kind: "unavailable"; readonly message: string }
  /** It ended in a way that says nothing about the matches. */
  | { readonly kind: "broken"; readonly exitCode: number; readonly message: string }

export interface RipgrepRun {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly timeoutMs: number
  /** Bytes of output at which the search is stopped. */
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Receives output as it arrives, in complete records; the text of the result is then empty. `enough` ends the search. */
  readonly onRecords?: OnRecords | undefined
  /** What a record ends with; a NUL when absent. */
  readonly recordEnd?: "\n"
}

export type OnRecords = (records: Buffer) => "enough" | void

export interface RipgrepOutput {
  readonly text: string
  /** Whether the search was stopped early, and why. */
  readonly cut: "no" | "time" | "size"
}

export type Ripgrep = (run: RipgrepRun) => Promise<Result<RipgrepOutput, SearchFailure>>

/** The absolute path of the program; called for every search. Rejects when there is none. */
export type FindRipgrep = () => Promise<string>

export function openRipgrep({
  find,
  processes,
  clock,
}: {
  readonly find: FindRipgrep
  readonly processes: Processes
  readonly clock: Clock
}): Ripgrep {
  return async ({ argv, cwd, timeoutMs, mostBytes, signal, onRecords, recordEnd }) => {
    const file = await find().catch(unpackingFailed)
    if (signal.aborted) return failed({ kind: "aborted" })
    if (typeof file !== "string") return failed(file)
    const started = processes.start({ file, argv: [...always, ...withoutPseudo(cwd), ...argv], cwd, env: {} })
    if (!started.ok) return failed({ kind: "unavailable", message: sayProcess(started.failure) })
    const child = started.value
    const ended: { cut: RipgrepOutput["cut"]; isEnough: boolean } = { cut: "no", isEnough: false }
    const endFor = (why: "time" | "size"): void => {
      if (ended.cut === "no") ended.cut = why
      child.kill()
    }
    let isEmpty = true
    const takeSome = (part: Buffer): void => {
      isEmpty = false
      // Nobody waits any more for what comes after an interrupt.
      if (signal.aborted || ended.isEnough || onRecords?.(part) !== "enough") return
      ended.isEnough = true
      child.kill()
    }
    const onFull = (): void => endFor("size")
    const cancelTimer = clock.after(timeoutMs, () => endFor("time"))
    const onAbort = (): void => child.kill()
    signal.addEventListener("abort", onAbort, { once: true })
    const [stdout, stderr, exitCode] = await Promise.all([
      onRecords
        ? readRecords(child.stdout, recordEnd === undefined ? 0 : newline, mostBytes, takeSome, onFull)
        : readSome(child.stdout, mostBytes, onFull),
      readSome(child.stderr, mostErrorBytes, () => {}),
      child.exited,
    ])
    cancelTimer()
    signal.removeEventListener("abort", onAbort)
    if (signal.aborted) return failed({ kind: "aborted" })
    if (ended.isEnough) return ok({ text: "", cut: "no" })
    const { cut } = ended
    const message = stderr.trim()
    // Code 2 without words means that some file could not be read, which is no reason to hide the others.
    if (exitCode === 2 && message !== "" && cut === "no") return failed({ kind: "bad_query", message })
    // Killed or crashed; its silence would look as if nothing had been found.
    if (cut === "no" && ![0, 1, 2].includes(exitCode)) return failed({ kind: "broken", exitCode, message })
    if (cut === "time" && stdout === "" && isEmpty) return failed({ kind: "timed_out", seconds: timeoutMs / 1000 })
    return ok({ text: stdout, cut })
  }
}

const unpackingFailed = (error: unknown): SearchFailure => ({
  kind: "unavailable",
  message: `ripgrep could not be unpacked: ${error instanceof Error ? error.message : String(error)}`,
})

/** No user configuration, no colours, no messages about unreadable files; .gitignore counts without git. */
const always: readonly string[] = ["--no-config", "--color=never", "--no-messages", "--no-require-git"]

const mostErrorBytes = 100_000

const newline = 10

/** Passes on complete records as they arrive; a last one that was cut off is left out. */
async function readRecords(
  stream: ReadableStream<Uint8Array>,
  recordEnd: number,
  most: number,
  onRecords: (records: Buffer) => void,
  onFull: () => void,
): Promise<string> {
  let rest = Buffer.alloc(0)
  let bytes = 0
  for await (const part of stream) {
    if (bytes > most) continue
    bytes += part.length
    const all = rest.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([rest, part])
    const end = all.lastIndexOf(recordEnd) + 1
    if (end > 0) onRecords(all.subarray(0, end))
    rest = Buffer.from(all.subarray(end))
    if (bytes > most) onFull()
  }
  return ""
}

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
