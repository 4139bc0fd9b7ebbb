/** Writes a file whole or not at all: a temporary file beside it, synced, then renamed over it. */

import { accessSync, constants, lstatSync, mkdirSync, renameSync, unlinkSync, type BigIntStats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { type FileFailure, failureOf } from "./failure.ts"
import { type Identity, identityOf, isSameState } from "./identity.ts"
import { notRegular } from "./open-file.ts"
import { realPath } from "./paths.ts"

export interface AtomicWrite {
  /** Where the file really is: no links on the way. */
  readonly real: string
  readonly bytes: Uint8Array
  /** What must be there when the new content takes its place. */
  readonly over: Identity | "nothing"
  /** Tells temporary files apart. */
  readonly token: string
  readonly signal: AbortSignal
}

/** Replaces or creates the file; gives the state it has afterwards. Missing folders are made. */
export async function writeAtomically({
  real,
  bytes,
  over,
  token,
  signal,
}: AtomicWrite): Promise<Result<Identity, FileFailure>> {
  const folder = dirname(real)
  const temporary = join(folder, `.codewright-${token}.tmp`)
  let handle: FileHandle | undefined
  let isRenamed = false
  try {
    const before = look(real)
    const refusal = before === undefined ? undefined : whyNotReplace(before, real)
    if (refusal) return failed(refusal)
    if (over === "nothing") mkdirSync(folder, { recursive: true })
    if (realPath(folder) !== folder) return failed({ kind: "moved", path: real })

    handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
    await handle.writeFile(bytes)
    if (before !== undefined) await keepOwnership(handle, before)
    await handle.sync()
    const written = await handle.stat({ bigint: true })
    if (signal.aborted) return failed({ kind: "aborted", path: real })

    // Nothing is awaited between this look and the rename, so no other call of ours comes in between.
    if (!isAsExpected(look(real), over)) return failed({ kind: "changed", path: real })
    if (realPath(folder) !== folder || look(temporary)?.ino !== written.ino)
      return failed({ kind: "moved", path: real })
    renameSync(temporary, real)
    isRenamed = true
    return ok(identityOf(lstatSync(real, { bigint: true })))
  } catch (error) {
    return failed(failureOf(error, real, "write"))
  } finally {
    await handle?.close().catch(() => {})
    if (handle !== undefined && !isRenamed) removeQuietly(temporary)
  }
}

function look(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** A rename would replace a file that may not be written, so the file's own bits are asked first. */
function whyNotReplace(stats: BigIntStats, path: string): FileFailure | undefined {
  const wrong = notRegular(stats, path)
  if (wrong) return wrong
  if ((stats.mode & 0o222n) === 0n) return { kind: "read_only_file", path }
  accessSync(path, constants.W_OK)
  return undefined
}

function isAsExpected(now: BigIntStats | undefined, over: Identity | "nothing"): boolean {
  if (now === undefined || over === "nothing") return now === undefined && over === "nothing"
  return isSameState(identityOf(now), over)
}

async function keepOwnership(handle: FileHandle, before: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== before.uid || own.gid !== before.gid)
    // Only root may give files away; for others the file becomes theirs, as with any editor that saves this way.
    await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {})
  await handle.chmod(Number(before.mode) & 0o7777)
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already, or the folder is; either way nothing is left to remove.
  }
}
