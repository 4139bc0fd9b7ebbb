/** What reading credentials asks of others: a command of the cloud's own tool, or a small request over HTTP. */

import { networkWords } from "#ground/models/network-words.ts"
import type { Clock } from "#lib/clock.ts"
import { type JsonObject, objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const longestCommandMs = 60_000
const longestWords = 300

export interface CommandParts {
  readonly env: { readonly [name: string]: string }
  readonly clock: Clock
}

/** What the command printed, or why it did not, in half a sentence. */
export async function runCommand(
  argv: readonly string[],
  { env, clock }: CommandParts,
): Promise<Result<string, string>> {
  const [program = ""] = argv
  const path = Bun.which(program, { PATH: env["PATH"] ?? "" })
  if (path === null) return failed(`${program} is not installed`)
  // Not in the project's folder: some of these tools look for files of their own there.
  const child = Bun.spawn([path, ...argv.slice(1)], {
    env,
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const cancel = clock.after(longestCommandMs, () => child.kill("SIGKILL"))
  const [printed, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  cancel()
  if (code === 0) return ok(printed)
  const why = complained.replaceAll(/\s+/g, " ").trim().slice(0, longestWords)
  return failed(`${program} ended with code ${code}${why === "" ? "" : `: ${why}`}`)
}

export interface SmallRequest {
  readonly method?: "GET" | "POST" | "PUT"
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  readonly limitMs: number
  /** `direct`: past every proxy, to what is only there for this machine. */
  readonly way?: "direct"
}

/** The text of a good answer, or why there is none, in half a sentence. */
export async function askFor(
  url: string,
  { limitMs, way, ...init }: SmallRequest,
  clock: Clock,
): Promise<Result<string, string>> {
  const limit = new AbortController()
  const cancel = clock.after(limitMs, () => limit.abort())
  try {
    // A redirect would carry secrets to wherever it points.
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: limit.signal,
      ...(way === "direct" && { proxy: false }),
    })
    const text = await response.text()
    return response.ok ? ok(text) : failed(`${hostOf(url)} answered ${response.status}${wordsIn(text)}`)
  } catch (error) {
    return failed(
      `${hostOf(url)} could not be reached: ${limit.signal.aborted ? "no answer came in time" : networkWords(error)}`,
    )
  } finally {
    cancel()
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** What token services say: in one of these fields. */
function wordsIn(text: string): string {
  const { error_description, error, message } = objectIn(text) ?? {}
  const words = [error_description, message, error].find((each) => typeof each === "string")
  return typeof words === "string" ? ` (${words.replaceAll(/\s+/g, " ").slice(0, longestWords)})` : ""
}

export const form = (fields: {
  readonly [name: string]: string
}): Pick<SmallRequest, "method" | "headers" | "body"> => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
})

/** The string fields of an object, as far as they are there. */
export function stringsIn(object: JsonObject): { readonly [name: string]: string | undefined } {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value]] : [],
    ),
  )
}
