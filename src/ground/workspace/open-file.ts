/** Opens a file and guarantees that it is what was asked for: a regular file, reached through no link. */

import { close, constants, fstatSync, lstatSync, open, readlinkSync, type BigIntStats } from "node:fs"
import { promised } from "#lib/promised.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type FileFailure, failureOf } from "./failure.ts"
import { type Identity, identityOf } from "./identity.ts"
import { realPath } from "./paths.ts"

const forReading = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

export interface OpenedFile {
  readonly fd: number
  readonly identity: Identity
  readonly mode: number
  readonly close: () => void
}

/**
 * Opens a real path for reading. The open runs off the main thread, so that a slow file does not block others. The
 * checks around it do not: the path was resolved a moment ago, and the system knows the opened file.
 */
export async function openRegular(
  real: string,
  near: () => readonly string[],
): Promise<Result<OpenedFile, FileFailure>> {
  let fd: number | undefined
  try {
    const before = lstatSync(real, { bigint: true })
    const wrong = notRegular(before, real)
    // Looked at before it is opened as well: opening some devices already does something.
    if (wrong) return failed(wrong)
    fd = await promised<number>((done) => open(real, forReading, done))
    const stats = fstatSync(fd, { bigint: true })
    const refusal = notRegular(stats, real) ?? (isAt(fd, real) ? undefined : ({ kind: "moved", path: real } as const))
    if (refusal) {
      closeQuietly(fd)
      return failed(refusal)
    }
    const opened = fd
    return ok({
      fd,
      identity: identityOf(stats),
      mode: Number(stats.mode) & 0o7777,
      close: () => closeQuietly(opened),
    })
  } catch (error) {
    if (fd !== undefined) closeQuietly(fd)
    return failed(failureOf(error, real, "read", near))
  }
}

/** Why something on disk is not a regular file; undefined when it is one. */
export function notRegular(stats: BigIntStats, path: string): FileFailure | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return { kind: "is_folder", path }
  if (stats.isSymbolicLink()) return { kind: "moved", path }
  const what = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device"
  return { kind: "not_file", path, what }
}

/** Whether the opened file really is at that path. Linux tells exactly; elsewhere the path is checked again. */
function isAt(fd: number, real: string): boolean {
  if (process.platform !== "linux") return realPath(real) === real
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === real
  } catch {
    return realPath(real) === real
  }
}

/** Not awaited: on some file systems a close writes, and its failure would say nothing about what was read. */
function closeQuietly(fd: number): void {
  close(fd, () => {})
}
