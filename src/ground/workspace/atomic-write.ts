/**
 * Writes a file atomically: a temporary file beside it, synced, then renamed over it. Both halves can run separately,
 * so that several files are all staged, on a disk with room for them, before the first one changes.
 */

import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  type BigIntStats,
} from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { type FileFailure, failureOf } from "./failure.ts"
import { type Identity, identityOf, isSameState } from "./identity.ts"
import { notRegular } from "./open-file.ts"
import { realPath } from "./paths.ts"

export interface AtomicWrite {
  /** The real path, without links. */
  readonly real: string
  readonly bytes: Uint8Array
  /** What must be there when the new content replaces it. */
  readonly over: Identity | "nothing"
  /** Makes temporary file names unique. */
  readonly token: string
  readonly signal: AbortSignal
}

export interface StagedContent {
  /** Renames it into place if the file is still the expected one; otherwise drops it. */
  readonly commit: () => Result<WrittenFile, FileFailure>
  /**
   * Leaves everything as it was; may be called again. Drop several in reverse order: a later one may be in a folder
   * created for an earlier one.
   */
  readonly drop: () => void
}

export interface WrittenFile {
  readonly identity: Identity
  /** The topmost folder created for it; undefined when its folder existed. */
  readonly madeFolder: string | undefined
}

/**
 * Writes the content to disk beside its target. Missing folders are created, and removed again when it fails or is
 * dropped.
 */
export async function stageContent(write: AtomicWrite): Promise<Result<StagedContent, FileFailure>> {
  const { real, bytes, over, token, signal } = write
  const folder = dirname(real)
  const temporary = join(folder, `.codewright-${token}.tmp`)
  let handle: FileHandle | undefined
  let madeFolder: string | undefined
  let isStaged = false
  const drop = (): void => {
    if (handle !== undefined) removeQuietly(temporary)
    removeFolders(folder, madeFolder)
  }
  try {
    const before = statsAt(real)
    const refusal = before === undefined ? undefined : whyNotReplace(before, real)
    if (refusal) return failed(refusal)
    if (over === "nothing") {
      // Determined first, as creation may fail halfway and then does not say where it started.
      madeFolder = topmostMissing(folder)
      mkdirSync(folder, { recursive: true })
    }
    if (realPath(folder) !== folder) return failed({ kind: "moved", path: real })

    const { open } = await import("node:fs/promises")
    handle = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
    await handle.writeFile(bytes)
    if (before !== undefined) await keepOwnership(handle, before)
    await handle.sync()
    const { ino } = await handle.stat({ bigint: true })
    if (signal.aborted) return failed({ kind: "aborted", path: real })
    isStaged = true
    return ok({ drop, commit: () => putInPlace({ real, over, temporary, ino, madeFolder, drop }) })
  } catch (error) {
    return failed(failureOf(error, real, "write"))
  } finally {
    await handle?.close().catch(() => {})
    if (!isStaged) drop()
  }
}

interface Staged {
  readonly real: string
  readonly over: Identity | "nothing"
  readonly temporary: string
  readonly ino: bigint
  readonly madeFolder: string | undefined
  readonly drop: () => void
}

/** Nothing is awaited between the last check and the rename, so no other call of ours comes in between. */
function putInPlace({ real, over, temporary, ino, madeFolder, drop }: Staged): Result<WrittenFile, FileFailure> {
  const folder = dirname(real)
  let isRenamed = false
  try {
    if (!isAsExpected(statsAt(real), over)) return failed({ kind: "changed", path: real })
    if (realPath(folder) !== folder || statsAt(temporary)?.ino !== ino) return failed({ kind: "moved", path: real })
    renameSync(temporary, real)
    isRenamed = true
    return ok({ identity: identityOf(lstatSync(real, { bigint: true })), madeFolder })
  } catch (error) {
    return failed(failureOf(error, real, "write"))
  } finally {
    if (!isRenamed) drop()
  }
}

/** Removes a file that was just created, with the folders created for it; not if anyone changed it since. */
export function unmake(real: string, { identity, madeFolder }: WrittenFile): Result<undefined, FileFailure> {
  try {
    const now = statsAt(real)
    if (now !== undefined && !isSameState(identityOf(now), identity)) return failed({ kind: "changed", path: real })
    if (realPath(dirname(real)) !== dirname(real)) return failed({ kind: "moved", path: real })
    if (now !== undefined) unlinkSync(real)
    removeFolders(dirname(real), madeFolder)
    return ok(undefined)
  } catch (error) {
    return failed(failureOf(error, real, "write"))
  }
}

function statsAt(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** A rename would replace a read-only file, so the file's own permission bits are checked first. */
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

function topmostMissing(folder: string): string | undefined {
  let missing: string | undefined
  for (let at = folder; statsAt(at) === undefined; at = dirname(at)) missing = at
  return missing
}

/** Removes the folders from the lowest up to the topmost, as long as they are empty. */
function removeFolders(lowest: string, topmost: string | undefined): void {
  if (topmost === undefined) return
  for (let at = lowest; at.length >= topmost.length; at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch {
      // Not made, or someone put something there: either way it is not ours to remove.
    }
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already, or the folder is; either way nothing is left to remove.
  }
}
