/** The secrets of a server: taken out of the environment of its process, where other programs of the same user could read them. */

import { fstatSync, openSync, readFileSync, closeSync } from "node:fs"
import { failed, ok, type Result } from "#lib/result.ts"
import { isLendable, isOwnSecret } from "./child-environment.ts"
import { processEnvironment, type RawEnvironment } from "./environment.ts"

export interface OwnEnvironment {
  /** As it was, secrets included. */
  readonly env: RawEnvironment
  /** The variables that hold secrets. */
  readonly secrets: readonly string[]
}

/** From now on the environment of this process has no keys of ours. Those of the user's other programs stay: sessions may have been given them. */
export function removeOwnSecrets(extraVariables: RawEnvironment = {}): OwnEnvironment {
  const before = processEnvironment()
  const names = Object.keys(before)
  for (const name of names) if (isOwnSecret(name)) delete process.env[name]
  return {
    env: { ...before, ...extraVariables },
    secrets: names.filter((name) => isOwnSecret(name) || isLendable(name, before[name])),
  }
}

export function removeVariables(names: readonly string[]): void {
  for (const name of names) delete process.env[name]
}

/** `NAME=value` lines of a file that nobody else can read, or of a descriptor such as /dev/fd/3. */
export function readSecrets(path: string): Result<RawEnvironment, string> {
  try {
    const file = openSync(path, "r")
    try {
      const { mode } = fstatSync(file)
      const isFile = (mode & 0o170000) === 0o100000
      if (isFile && (mode & 0o077) !== 0)
        return failed(`Others can read ${path}. Make it private first: chmod 600 ${path}`)
      return parse(readFileSync(file, "utf8"), path)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return failed(`The secrets in ${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
}

function parse(text: string, path: string): Result<RawEnvironment, string> {
  const env: { [name: string]: string } = {}
  for (const [at, line] of text.split("\n").entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return failed(`Line ${at + 1} of ${path} is not NAME=value.`)
    env[name] = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
  }
  return ok(env)
}
