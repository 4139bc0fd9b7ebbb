/** Standard input as text: read whole when something is piped in, refused when it is not text. */

import { fstatSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const mostBytes = 10_000_000
const patienceMs = 3_000

export type StdinFailure = { readonly kind: "binary" | "too_large" | "unreadable"; readonly message: string }

/**
 * Empty if nothing is piped in. `needed` waits for the end of input. Otherwise, if nothing comes for a moment, a pipe
 * is still waited for, because someone is at its other end, and a socket is not, because programs often leave theirs
 * open and never write. Both are reported.
 */
export async function readStdin(
  needed: "needed" | "optional",
  { clock, warn }: { readonly clock: Clock; readonly warn: (line: string) => void },
): Promise<Result<string, StdinFailure>> {
  const kind = kindOfInput()
  if (kind === "nothing") return ok("")
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = Bun.stdin.stream().getReader()
  try {
    for (;;) {
      const next = reader.read()
      const first = chunks.length === 0 && needed === "optional"
      let part = await (first ? withPatience(next, clock) : next)
      if (part === "silent") {
        warn(kind === "socket" ? givenUp : waitedFor)
        if (kind === "socket") break
        part = await next
      }
      if (part.done) break
      chunks.push(part.value)
      size += part.value.length
      if (size > mostBytes) return failed({ kind: "too_large", message: tooLarge })
    }
  } catch (error) {
    return failed({ kind: "unreadable", message: `Standard input could not be read (${String(error)}).` })
  }
  return asText(Buffer.concat(chunks))
}

const waitedFor =
  "Waiting for standard input, which is open but silent. To continue without input, start with < /dev/null."
const givenUp = "Standard input is open but silent, so the prompt was sent without input."
const tooLarge = `Standard input is larger than ${mostBytes / 1_000_000} MB. Save it to a file and name the file in the prompt.`

/** A terminal, /dev/null or a closed descriptor has no input for a script. */
function kindOfInput(): "pipe" | "socket" | "nothing" {
  try {
    const stat = fstatSync(0)
    if (stat.isSocket()) return "socket"
    return stat.isFIFO() || stat.isFile() ? "pipe" : "nothing"
  } catch {
    return "nothing"
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
