/** A key the user pasted, in a private file of its own: settings are shown and shared, keys are not. */

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"
import { codeOf } from "#lib/error-code.ts"

export const keyFile = (state: string): string => join(state, "key.json")

export function keepKey(state: string, apiKey: string): Result<void, string> {
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const file = keyFile(state)
  const fresh = `${file}.${process.pid}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify({ version: 1, apiKey }, null, 2)}\n`, { mode: 0o600 })
    renameSync(fresh, file)
    return ok(undefined)
  } catch (error) {
    rmSync(fresh, { force: true })
    return failed(`${file} could not be written (${String(error)}). Set ANTHROPIC_API_KEY instead.`)
  }
}

/** `absent`: there was none. */
export function forgetKey(state: string): Result<"removed" | "absent", string> {
  const file = keyFile(state)
  try {
    rmSync(file)
    return ok("removed")
  } catch (error) {
    const isAbsent = codeOf(error) === "ENOENT"
    return isAbsent ? ok("absent") : failed(`${file} could not be removed (${String(error)}). Remove it by hand.`)
  }
}

/** Undefined if the file cannot be read. */
export function keptKey(state: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(keyFile(state), "utf8"))
    return isObject(value) && typeof value.apiKey === "string" && value.apiKey !== "" ? value.apiKey : undefined
  } catch {
    return undefined
  }
}
