/** Runs a workflow's script to its end, and answers what it asks. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { driver } from "./driver.ts"

export interface ScriptParts {
  /** Bun, as this program can be started; arguments can be appended. */
  readonly bun: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  readonly file: string
  readonly input: JsonValue
  /** The value for the script; the failure is a sentence that it can catch. */
  readonly agent: (prompt: string, options: JsonObject) => Promise<Result<JsonValue, string>>
  readonly log: (text: string) => void
  readonly signal: AbortSignal
}

/** What the script returned; the failure is what it threw, or that it ended without a result. */
export async function runScript(parts: ScriptParts): Promise<Result<JsonValue, string>> {
  let end: Result<JsonValue, string> | undefined
  const [file = "", ...argv] = parts.bun
  const child = Bun.spawn([file, ...argv, "-e", driver, parts.file, JSON.stringify(parts.input)], {
    cwd: parts.cwd,
    env: parts.env,
    // What it prints is for people, and the result is not mixed with it.
    stdio: ["ignore", 2, 2],
    serialization: "json",
    ipc(message: unknown) {
      if (!isObject(message)) return
      const { kind, id, prompt, options, text, result, message: why } = message
      if (kind === "log") parts.log(String(text))
      if (kind === "end") end = ok(result ?? null)
      if (kind === "failed") end = failed(String(why))
      if (kind === "agent") void answer(id ?? null, prompt, options)
    },
  })

  async function answer(id: JsonValue, prompt: unknown, options: unknown): Promise<void> {
    const done =
      typeof prompt === "string" && prompt.trim() !== "" && isObject(options)
        ? await parts.agent(prompt, options)
        : failed("agent takes a prompt and an object of options.")
    // It may have ended without waiting for this one.
    if (child.exitCode === null && !child.killed)
      child.send(done.ok ? { id, value: done.value } : { id, failure: done.failure })
  }

  const stop = (): void => child.kill()
  parts.signal.addEventListener("abort", stop, { once: true })
  const code = await child.exited
  parts.signal.removeEventListener("abort", stop)
  if (parts.signal.aborted) return failed("It was interrupted.")
  return end ?? failed(`The script ended with ${code} before it returned.`)
}
