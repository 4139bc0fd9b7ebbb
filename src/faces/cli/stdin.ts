/** Standard input as text: read whole when something is piped in, refused when it is not text. */

import { fstatSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const mostBytes = 10_000_000
const patienceMs = 3_000

export type StdinFailure = { readonly kind: "binary" | "too_large" | "unreadable"; readonly message: string }

/**
 * What is piped in; empty when nothing is. `needed` waits for the end of input; otherwise a pipe that stays silent
 * (a job runner that never closes it) is given up after a moment.
 */
export async function readStdin(needed: "needed" | "optional", clock: Clock): Promise<Result<string, StdinFailure>> {
  if (isNothing()) return ok("")
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = Bun.stdin.stream().getReader()
  try {
    for (;;) {
      const next = reader.read()
      const first = chunks.length === 0 && needed === "optional"
      const part = await (first ? withPatience(next, clock) : next)
      if (part === "silent" || part.done) break
      chunks.push(part.value)
      size += part.value.length
      if (size > mostBytes) return failed({ kind: "too_large", message: tooLarge })
    }
  } catch (error) {
    return failed({ kind: "unreadable", message: `Standard input could not be read (${String(error)}).` })
  }
  return asText(Buffer.concat(chunks))
}

const tooLarge = `Standard input is larger than ${mostBytes / 1_000_000} MB. Save it to a file and name the file in the prompt.`

/** Anything but a pipe, a file or a socket (a terminal, /dev/null, a closed descriptor) has nothing to say to a script. */
function isNothing(): boolean {
  try {
    const stat = fstatSync(0)
    return !stat.isFIFO() && !stat.isFile() && !stat.isSocket()
  } catch {
    return true
  }
}

async function withPatience<T>(next: Promise<T>, clock: Clock): Promise<T | "silent"> {
  const over = new AbortController()
  const silence = clock.sleep(patienceMs, over.signal).then(() => "silent" as const)
  const first = await Promise.race([next, silence])
  over.abort()
  return first
}

function asText(bytes: Buffer): Result<string, StdinFailure> {
  const binary = failed({
    kind: "binary" as const,
    message: "Standard input is not text (UTF-8). Save it to a file and name the file in the prompt.",
  })
  if (bytes.includes(0)) return binary
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return binary
  }
}
