/** The keys the user pasted, in a private file of their own: settings are shown and shared, keys are not. */

import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isMissing } from "#lib/error-code.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { replaceFile } from "#lib/state-file.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"
import { underLock } from "./under-lock.ts"

export const keyFile = (state: string): string => join(state, "key.json")

export const hasKeys = (state: string): boolean => existsSync(keyFile(state))

/** A provider's server. Its key is never sent to another address. */
export interface KeyOwner {
  readonly name: string
  readonly baseUrl: string
}

/** Of Anthropic, unless an owner is named. Keys of others stay. */
export function keepKey(state: string, apiKey: string, owner?: KeyOwner): Result<void, string> {
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  return underLock(keyFile(state), () => {
    const before = readKeys(state)
    if (!before.ok) return before
    const { name, baseUrl } = owner ?? {}
    return writeKeys(
      state,
      name === undefined
        ? { ...before.value, version: 1, apiKey }
        : { ...before.value, version: 1, providers: { ...providersIn(before.value), [name]: { apiKey, baseUrl } } },
    )
  })
}

/** `absent`: there was none. */
export function forgetKey(state: string, name?: string): Result<"removed" | "absent", string> {
  // Nothing to remove, and perhaps no folder for a lock.
  return keptNames(state).length === 0 ? ok("absent") : underLock(keyFile(state), () => removeKey(state, name))
}

function removeKey(state: string, name: string | undefined): Result<"removed" | "absent", string> {
  const before = readKeys(state)
  if (!before.ok) return before
  const { apiKey, providers: _providers, ...rest } = before.value
  const providers = providersIn(before.value)
  const isThere = name === undefined ? apiKey !== undefined : Object.hasOwn(providers, name)
  if (!isThere) return ok("absent")
  const others = Object.fromEntries(Object.entries(providers).filter(([other]) => other !== name))
  const left = {
    ...rest,
    ...(name !== undefined && apiKey !== undefined && { apiKey }),
    ...(Object.keys(others).length > 0 && { providers: others }),
  }
  const isEmpty = !("apiKey" in left) && !("providers" in left)
  const done = isEmpty ? removeFile(keyFile(state)) : writeKeys(state, left)
  return done.ok ? ok("removed") : done
}

/** Undefined if there is none, or the file cannot be read. */
export function keptKey(state: string, owner?: KeyOwner): string | undefined {
  const keys = readKeys(state)
  if (!keys.ok) return undefined
  if (!owner) return keyIn(keys.value)
  const kept = providersIn(keys.value)[owner.name]
  return isObject(kept) && kept.baseUrl === owner.baseUrl ? keyIn(kept) : undefined
}

/** The names of the providers that have a key in the file, Anthropic's first. */
export function keptNames(state: string): readonly string[] {
  const keys = readKeys(state)
  if (!keys.ok) return []
  const others = Object.entries(providersIn(keys.value)).flatMap(([name, kept]) =>
    isObject(kept) && keyIn(kept) !== undefined ? [name] : [],
  )
  return keyIn(keys.value) === undefined ? others : ["anthropic", ...others]
}

const keyIn = ({ apiKey }: JsonObject): string | undefined =>
  typeof apiKey === "string" && apiKey !== "" ? apiKey : undefined

const providersIn = ({ providers }: JsonObject): JsonObject => (isObject(providers) ? providers : {})

/** Nothing when there is no file. One that is not ours is not overwritten: it may hold keys. */
function readKeys(state: string): Result<JsonObject, string> {
  const file = keyFile(state)
  try {
    const keys = objectIn(readFileSync(file, "utf8"))
    return keys ? ok(keys) : failed(`${file} is not a JSON object. Remove the file, then add the key again.`)
  } catch (error) {
    return isMissing(error) ? ok({}) : failed(`${file} could not be read (${String(error)}). ${instead}`)
  }
}

function writeKeys(state: string, keys: object): Result<void, string> {
  const written = replaceFile(keyFile(state), `${JSON.stringify(keys, null, 2)}\n`)
  return written.ok ? written : failed(`${written.failure} ${instead}`)
}

function removeFile(file: string): Result<void, string> {
  try {
    rmSync(file)
    return ok(undefined)
  } catch (error) {
    return failed(`${file} could not be removed (${String(error)}). Remove it by hand.`)
  }
}

const instead = "Set the key's variable, such as ANTHROPIC_API_KEY, instead."
