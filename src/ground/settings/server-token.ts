/** The token of whoever starts a server: in a private file, so that programs of the same user find it. */

import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"

export const serverTokenFile = (state: string): string => join(state, "server-token")

/** The one in the file, or `fresh`, which is in the file from now on. */
export function keepServerToken(state: string, fresh: string): Result<string, string> {
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const file = serverTokenFile(state)
  const draft = `${file}.${process.pid}.new`
  try {
    const before = keptServerToken(state)
    if (before !== undefined) return ok(before)
    writeFileSync(draft, `${fresh}\n`, { mode: 0o600 })
    if (existsSync(file)) renameSync(draft, file)
    else linkSync(draft, file)
    return ok(fresh)
  } catch (error) {
    // Another process may have been faster.
    const theirs = keptServerToken(state)
    return theirs === undefined ? failed(`${file} could not be written (${String(error)}).`) : ok(theirs)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Undefined if there is none, or nothing that could be one. */
export function keptServerToken(state: string): string | undefined {
  try {
    const [, token] = /^([\w-]{32,200})\n$/.exec(readFileSync(serverTokenFile(state), "utf8")) ?? []
    return token
  } catch {
    return undefined
  }
}
