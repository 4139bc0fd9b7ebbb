/** The token of whoever starts a server. Only a digest of it is on disk, so whoever reads the file cannot use it. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "#lib/state-file.ts"
import { ok, type Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"

const serverTokenFile = (state: string): string => join(state, "server-token")

export interface OwnerRecord {
  /** What browsers are signed in as; it stays when the token changes, and opens nothing by itself. */
  readonly owner: string
  /** Of the token for programs, if one was made. */
  readonly token?: string
}

/** What is in the file, which is made if there is none. A token that an older version kept as it is becomes its digest. */
export function keepOwner(
  state: string,
  fresh: string,
  digest: (secret: string) => string,
): Result<OwnerRecord, string> {
  const kept = readFile(state)
  const before = recordIn(kept)
  if (before) return ok(before)
  const [, plain] = /^([\w-]{32,200})\n?$/.exec(kept) ?? []
  // Browsers that signed in with the old token stay signed in.
  const old = plain === undefined ? undefined : digest(plain)
  return write(state, old === undefined ? { owner: fresh } : { owner: old, token: old })
}

/** The token for programs from now on; one that was made before is not valid any more. */
export function replaceToken(state: string, fresh: string, tokenDigest: string): Result<OwnerRecord, string> {
  return write(state, { owner: recordIn(readFile(state))?.owner ?? fresh, token: tokenDigest })
}

/** As it is now: another process may have replaced the token. */
export const ownerNow = (state: string): OwnerRecord | undefined => recordIn(readFile(state))

function write(state: string, record: OwnerRecord): Result<OwnerRecord, string> {
  const made = makePrivateFolder(state)
  if (!made.ok) return made
  const text = `owner ${record.owner}\n${record.token === undefined ? "" : `sha256 ${record.token}\n`}`
  const written = replaceFile(serverTokenFile(state), text)
  return written.ok ? ok(record) : written
}

function recordIn(text: string): OwnerRecord | undefined {
  const [, owner, token] = /^owner ([\w-]{32,200})\n(?:sha256 ([0-9a-f]{64})\n)?$/.exec(text) ?? []
  if (owner === undefined) return undefined
  return token === undefined ? { owner } : { owner, token }
}

function readFile(state: string): string {
  try {
    return readFileSync(serverTokenFile(state), "utf8")
  } catch {
    return ""
  }
}
