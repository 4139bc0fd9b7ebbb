/** Secrets of the server by reference: a variable, a file, or a command that prints them. They are read when they are needed, and kept nowhere. */

import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { codeOf } from "#lib/error-code.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import type { SecretSettings, ServerSettings } from "#ground/settings/settings.ts"

export interface SecretPlaces {
  readonly env: RawEnvironment
  readonly home: string
}

/** Undefined where the settings name no place. The failure is a sentence. */
export async function readSecret<Name extends string>(
  settings: SecretSettings<Name>,
  name: Name,
  { env, home }: SecretPlaces,
): Promise<Result<string | undefined, string>> {
  const variable = settings[`${name}Env` as const]
  const file = settings[`${name}File` as const]
  const helper = settings[`${name}Helper` as const]
  if (helper !== undefined) return runKeyHelper(helper, childEnvironment(env), `${name}Helper`)
  if (file !== undefined) return secretIn(fromHome(file, home))
  if (variable === undefined) return ok(undefined)
  const secret = env[variable]?.trim() ?? ""
  return secret === "" ? failed(`the variable ${variable} is not set.`) : ok(secret)
}

/** The files that the settings name: no session may read them. */
export function secretFilesOf(
  { openid, forges = [], webhooks = [], push, database }: ServerSettings,
  home: string,
): string[] {
  const files = [
    openid?.clientSecretFile,
    database?.passwordFile,
    ...forges.map(({ tokenFile }) => tokenFile),
    push?.keyFile,
    ...webhooks.flatMap(({ secretFile, urlFile }) => [secretFile, urlFile]),
  ]
  return files.flatMap((file) => (file === undefined ? [] : [fromHome(file, home)]))
}

/** The variables that the settings name. They are for the server itself, so sessions do not get them. */
export function secretVariablesOf({ openid, forges = [], webhooks = [], push, database }: ServerSettings): string[] {
  const names = [
    openid?.clientSecretEnv,
    database?.passwordEnv,
    ...forges.map(({ tokenEnv }) => tokenEnv),
    push?.keyEnv,
    ...webhooks.flatMap(({ secretEnv, urlEnv }) => [secretEnv, urlEnv]),
  ]
  return names.flatMap((name) => name ?? [])
}

/** What sessions get of the environment. */
export function withoutServerSecrets(env: RawEnvironment, settings: ServerSettings): RawEnvironment {
  const names = new Set(secretVariablesOf(settings))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)))
}

const fromHome = (path: string, home: string): string => resolve(path.replace(/^~(?=\/)/, home))

async function secretIn(path: string): Promise<Result<string, string>> {
  const text = await readFile(path, "utf8").catch((error: unknown) => ({ code: codeOf(error) }))
  if (typeof text !== "string")
    return failed(
      text.code === "ENOENT"
        ? `the file ${path} does not exist.`
        : `the file ${path} cannot be read (${text.code}). The user that runs this must be able to read it.`,
    )
  return text.trim() === "" ? failed(`the file ${path} is empty.`) : ok(text.trim())
}
