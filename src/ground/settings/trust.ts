/** Which folders the person trusts, kept in trust.json by real path, with fingerprints of what each would run. */

import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type ChangedSince, changedSince, executableConfiguration, type ExecutableConfiguration } from "./executable.ts"
import { makePrivateFolder } from "./state-folder.ts"

/** How far a project's own settings are believed. `vouched`: a program that drives us asked for them. */
export type Trust = "untrusted" | "vouched" | "trusted"

/** Whether the person has trusted this very folder; trust is not inherited from the folders above. */
export function isTrusted(state: string, folder: string): boolean {
  return trustedEntry(state, folder) !== undefined
}

/** Tells what a trusted folder would run now and did not when the person trusted it; undefined when they never did. */
export function changedSinceTrust(state: string, folder: string): ChangedSince | undefined {
  const entry = trustedEntry(state, folder)
  return entry && changedSince(folder, isObject(entry.runs) ? (entry.runs as ExecutableConfiguration) : {})
}

function trustedEntry(state: string, folder: string): JsonObject | undefined {
  const known = readTrust(trustFile(state))
  const real = realFolder(folder)
  if (!known.ok || real === undefined || !Object.hasOwn(known.value, real)) return undefined
  const entry = known.value[real]
  return isObject(entry) ? entry : {}
}

/** Remembers that the person trusts a folder, and gives its real path. */
export function trustFolder({
  state,
  folder,
  clock,
}: {
  readonly state: string
  readonly folder: string
  readonly clock: Clock
}): Result<string, string> {
  const real = realFolder(folder)
  if (real === undefined) return failed(`${folder} does not exist, so it cannot be trusted. Name an existing folder.`)
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const file = trustFile(state)
  const known = readTrust(file)
  if (!known.ok) return known
  const entry = { at: new Date(clock.now()).toISOString(), runs: executableConfiguration(real) }
  return replaceFile(
    file,
    `${JSON.stringify({ version: 1, folders: { ...known.value, [real]: entry } }, null, 2)}\n`,
    real,
  )
}

const trustFile = (state: string): string => join(state, "trust.json")

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder)
  } catch {
    return undefined
  }
}

function readTrust(file: string): Result<JsonObject, string> {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if (isMissing(error)) return ok({})
    return failed(`${file} cannot be read (${String(error)}). Make it readable, or remove it to trust nothing.`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value) && isObject(value.folders)) return ok(value.folders)
  } catch {
    // The sentence below serves a broken file and a strange one alike.
  }
  return failed(`${file} is not a list of trusted folders. Mend it, or remove it to trust nothing.`)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}

function replaceFile<T>(file: string, text: string, value: T): Result<T, string> {
  const fresh = `${file}.${process.pid}.new`
  try {
    writeFileSync(fresh, text, { mode: 0o600 })
    renameSync(fresh, file)
    return ok(value)
  } catch (error) {
    rmSync(fresh, { force: true })
    return failed(`${file} could not be written (${String(error)}). Nothing was changed.`)
  }
}
