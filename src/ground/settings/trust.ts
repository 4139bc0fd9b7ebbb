/**
 * Which folders the user trusts, stored in trust.json by real path, with the digest of every line they were shown.
 * What a project's files say later only counts if it is one of those lines.
 */

import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { replaceFile } from "#lib/state-file.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ProjectLine } from "./project-lines.ts"
import { makePrivateFolder } from "./state-folder.ts"
import { isMissing } from "#lib/error-code.ts"

/** How far a project's own settings are trusted. `vouched`: a program that drives us asked for them. */
export type Trust = "untrusted" | "vouched" | "trusted"

/** Where trust is stored, and the home folder, which is never trusted permanently. */
export interface TrustPlace {
  readonly state: string
  readonly home: string
}

/** The name of each approved line, by its digest. */
export type TrustedLines = ReadonlyMap<string, string>

/** Trust is not inherited from parent folders. Undefined when the folder is not trusted. */
export function trustedLines({ state, home }: TrustPlace, folder: string): TrustedLines | undefined {
  const known = readTrust(trustFile(state))
  const real = realFolder(folder)
  if (!known.ok || real === undefined || holdsHome(real, home) || !Object.hasOwn(known.value, real)) return undefined
  const entry = known.value[real]
  return new Map(linesIn(entry).map(([digest, what]) => [digest, String(what)]))
}

export const isTrusted = (place: TrustPlace, folder: string): boolean => trustedLines(place, folder) !== undefined

/** Whether a folder is or contains the home folder: all of the user's files would be its project. */
export function holdsHome(folder: string, home: string): boolean {
  const real = realFolder(folder) ?? folder
  const own = realFolder(home) ?? home
  return own === real || own.startsWith(real === "/" ? "/" : `${real}/`)
}

/** Records that the user trusts a folder with what they were shown of it, and returns its real path. */
export function trustFolder(
  place: TrustPlace & { readonly clock: Clock },
  folder: string,
  lines: readonly ProjectLine[],
): Result<string, string> {
  const real = realFolder(folder)
  if (real === undefined) return failed(`${folder} does not exist, so it cannot be trusted. Name an existing folder.`)
  if (holdsHome(real, place.home)) return failed(homeWords(real))
  const at = new Date(place.clock.now()).toISOString()
  return changeTrust(place, real, () => ({
    at,
    lines: Object.fromEntries(lines.map(({ digest, what }) => [digest, what])),
  }))
}

/** Adds what the user wrote into a trusted folder's files through us. Other folders stay as they are. */
export function trustMore(place: TrustPlace, folder: string, lines: readonly ProjectLine[]): Result<string, string> {
  const real = realFolder(folder)
  if (real === undefined || lines.length === 0 || !isTrusted(place, real)) return ok(folder)
  return changeTrust(place, real, (entry) => ({
    ...(isObject(entry) ? entry : {}),
    lines: Object.fromEntries([...linesIn(entry), ...lines.map(({ digest, what }) => [digest, what] as const)]),
  }))
}

/** What is trusted in one folder is trusted in a copy of it. */
export function copyTrust(place: TrustPlace, from: string, to: string): Result<string, string> {
  const [known, real, origin] = [readTrust(trustFile(place.state)), realFolder(to), realFolder(from)]
  const entry = known.ok && origin !== undefined && Object.hasOwn(known.value, origin) ? known.value[origin] : undefined
  return real === undefined || !isObject(entry) ? ok(to) : changeTrust(place, real, () => entry)
}

export type LineChange = "new" | "changed"

/** The untrusted lines: `changed` if one of that name was trusted and is gone. */
export function untrustedLines(
  lines: readonly ProjectLine[],
  trusted: TrustedLines,
): readonly (ProjectLine & { readonly change: LineChange })[] {
  const now = new Set(lines.map(({ digest }) => digest))
  const gone = new Set([...trusted].flatMap(([digest, what]) => (now.has(digest) ? [] : [what])))
  return lines
    .filter(({ digest }) => !trusted.has(digest))
    .map((line) => ({ ...line, change: gone.has(line.what) ? "changed" : "new" }))
}

export const homeWords = (folder: string): string =>
  `${folder} is your home folder or holds it, so it is never trusted for good. Trust it for one run: codewright --trust`

function changeTrust(
  { state }: TrustPlace,
  real: string,
  change: (entry: JsonObject[string] | undefined) => JsonObject,
): Result<string, string> {
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const file = trustFile(state)
  const known = readTrust(file)
  if (!known.ok) return known
  const entry = change(Object.hasOwn(known.value, real) ? known.value[real] : undefined)
  const text = JSON.stringify({ version: 2, folders: { ...known.value, [real]: entry } }, null, 2)
  const written = replaceFile(file, `${text}\n`)
  return written.ok ? ok(real) : failed(`${written.failure} Nothing was changed.`)
}

const linesIn = (entry: JsonObject[string] | undefined): readonly (readonly [string, JsonObject[string]])[] =>
  isObject(entry) && isObject(entry.lines) ? Object.entries(entry.lines) : []

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
  return failed(`${file} is not a list of trusted folders. Fix it, or remove it to trust nothing.`)
}
