/** The port to files: whole contents, pages of lines, states and atomic writes. Nothing throws; failures are values. */

import { existsSync, lstatSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readBytes } from "./read-bytes.ts"
import { stageContent, type StagedContent, unmake, type WrittenFile } from "./atomic-write.ts"
import { type FileFailure, failureOf } from "./failure.ts"
import { type Identity, identityOf } from "./identity.ts"
import { type LinePage, type PageQuery, readPage } from "./line-page.ts"
import { notRegular, type OpenedFile, openRegular } from "./open-file.ts"
import { orUndefined } from "./disk.ts"

export interface FileContent {
  readonly bytes: Buffer
  readonly identity: Identity
  /** When it was read, in milliseconds since the epoch. */
  readonly at: number
}

export interface FileState {
  readonly identity: Identity
  readonly at: number
}

/** Which file, its new content, and what must be there before. */
export type WriteArguments = readonly [real: string, bytes: Uint8Array, over: Identity | "nothing", signal: AbortSignal]

export type WrittenState = FileState & WrittenFile

/** A write that only needs its last step, which is synchronous. */
export interface StagedWrite extends Pick<StagedContent, "drop"> {
  /** A promise only where an editor writes the file. */
  readonly commit: () => Result<WrittenState, FileFailure> | Promise<Result<WrittenState, FileFailure>>
}

/** All paths are real ones (see `Places`): no link is followed here. */
export interface Files {
  readonly stat: (real: string) => Result<FileState, FileFailure>
  /** As cheap as possible: called for every known file before every request. */
  readonly isInState: (real: string, state: Identity) => boolean
  /** Fails for files larger than `limit` bytes. */
  readonly read: (real: string, limit: number, signal: AbortSignal) => Promise<Result<FileContent, FileFailure>>
  /** Some lines of a text file of any size. */
  readonly readLines: (
    real: string,
    query: PageQuery,
    signal: AbortSignal,
  ) => Promise<Result<LinePage & FileState, FileFailure>>
  /** Replaces `over`, or creates a new file, atomically. */
  readonly write: (...write: WriteArguments) => Promise<Result<WrittenState, FileFailure>>
  /** The first half of a write: the content is staged on disk, and only its commit changes the file. */
  readonly stage: (...write: WriteArguments) => Promise<Result<StagedWrite, FileFailure>>
  /** Removes a file that was just created, with its folders, unless it changed since. */
  readonly unmake: (real: string, written: WrittenFile) => Result<undefined, FileFailure>
}

export interface FilesOptions {
  readonly cwd: () => string
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * A number holds a time to a quarter of a microsecond. That is enough if a state was old when it was read, since any
 * later change is much later; bigints would take twice the time, and more memory each.
 */
const sameTimeMs = 0.001

export function openFiles({ cwd, clock, ids }: FilesOptions): Files {
  const open = (real: string) => openRegular(real, () => namesNear(real, cwd()))
  const stage: Files["stage"] = async (real, bytes, over, signal) => {
    const staged = await stageContent({ real, bytes, over, token: ids.uuid(), signal })
    if (!staged.ok) return staged
    const { commit, drop } = staged.value
    return ok({
      drop,
      commit() {
        const written = commit()
        return written.ok ? ok({ ...written.value, at: clock.now() }) : written
      },
    })
  }
  return {
    stat(real) {
      const at = clock.now()
      try {
        const stats = lstatSync(real, { bigint: true })
        const wrong = notRegular(stats, real)
        return wrong ? failed(wrong) : ok({ identity: identityOf(stats), at })
      } catch (error) {
        return failed(failureOf(error, real, "read", () => namesNear(real, cwd())))
      }
    },
    isInState(real, { inode, device, bytes, modifiedNs, changedNs }) {
      try {
        const stats = lstatSync(real, orUndefined)
        return (
          stats !== undefined &&
          stats.ino === Number(inode) &&
          Math.abs(stats.ctimeMs - Number(changedNs) / 1e6) < sameTimeMs &&
          Math.abs(stats.mtimeMs - Number(modifiedNs) / 1e6) < sameTimeMs &&
          stats.dev === Number(device) &&
          stats.size === bytes
        )
      } catch {
        return false
      }
    },
    async read(real, limit, signal) {
      const at = clock.now()
      const file = await open(real)
      if (!file.ok) return file
      const { identity } = file.value
      try {
        if (identity.bytes > limit) return failed({ kind: "too_large", path: real, bytes: identity.bytes, limit })
        const bytes = await readAll(file.value, limit, signal)
        if (signal.aborted) return failed({ kind: "aborted", path: real })
        if (bytes.length > limit) return failed({ kind: "too_large", path: real, bytes: bytes.length, limit })
        return ok({ bytes, identity, at })
      } catch (error) {
        return failed(failureOf(error, real, "read"))
      } finally {
        file.value.close()
      }
    },
    async readLines(real, query, signal) {
      const at = clock.now()
      const file = await open(real)
      if (!file.ok) return file
      try {
        const page = await readPage(file.value.fd, query, signal)
        if (signal.aborted) return failed({ kind: "aborted", path: real })
        if (page === "binary") return failed({ kind: "binary", path: real })
        return ok({ ...page, identity: file.value.identity, at })
      } catch (error) {
        return failed(failureOf(error, real, "read"))
      } finally {
        file.value.close()
      }
    },
    stage,
    async write(...write) {
      const staged = await stage(...write)
      return staged.ok ? staged.value.commit() : staged
    },
    unmake,
  }
}

/** To tell contents apart; not cryptographic. */
export function hashOf(bytes: Uint8Array): bigint {
  return BigInt(Bun.hash(bytes))
}

/** Reads to the end, also of files that claim to be empty and are not, as those under /proc. */
async function readAll({ fd, identity }: OpenedFile, limit: number, signal: AbortSignal): Promise<Buffer> {
  const first = Buffer.allocUnsafe(identity.bytes === 0 ? 65_536 : identity.bytes)
  let length = 0
  while (length < first.length && !signal.aborted) {
    const bytesRead = await readBytes(fd, first, { from: length, at: length })
    if (bytesRead === 0) return first.subarray(0, length)
    length += bytesRead
  }
  if (identity.bytes > 0) return first
  const parts = [first]
  while (length <= limit && !signal.aborted) {
    const part = Buffer.allocUnsafe(1 << 20)
    const bytesRead = await readBytes(fd, part, { from: 0, at: length })
    if (bytesRead === 0) break
    parts.push(part.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(parts)
}

const mostNamesLooked = 5000

/** Suggestions for a path that does not exist. */
function namesNear(path: string, cwd: string): readonly string[] {
  const inCwd = join(cwd, path)
  if (existsSync(inCwd)) return [inCwd]
  try {
    const folder = dirname(path)
    const names = readdirSync(folder).slice(0, mostNamesLooked)
    return nearNames(basename(path), names).map((name) => join(folder, name))
  } catch {
    return []
  }
}
