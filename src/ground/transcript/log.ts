/** The append-only file behind a session. Every append is written before it returns; `sync` makes it survive a power cut. */

import { closeSync, fdatasync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { encodeEntry, type Origin, sealed } from "./line.ts"

export interface Log {
  readonly path: string
  readonly append: (entry: Entry, origin: Origin) => Result<void, LogFailure>
  /** Resolves once everything appended so far is on the disk. */
  readonly sync: () => Promise<Result<void, LogFailure>>
  readonly close: () => void
}

export type LogFailure = { readonly kind: "unwritable"; readonly path: string; readonly message: string }

export const logFormat = 1

/** Opens the file for appending, with a first line that names the format when it is new. */
export function openLog(
  path: string,
  options: { readonly sessionId: string; readonly version: string; readonly isNew: boolean },
): Result<Log, LogFailure> {
  const problem = (error: unknown): LogFailure => ({ kind: "unwritable", path, message: why(error) })
  let fd: number
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    fd = openSync(path, options.isNew ? "ax" : "a", 0o600)
  } catch (error) {
    return failed(problem(error))
  }

  let torn = false
  let dirty = false
  let syncing: Promise<Result<void, LogFailure>> | undefined

  const write = (line: string): Result<void, LogFailure> => {
    // After a write that failed halfway the next line must not continue the torn one.
    const bytes = Buffer.from(torn ? `\n${line}\n` : `${line}\n`)
    let done = 0
    try {
      while (done < bytes.length) done += writeSync(fd, bytes, done)
    } catch (error) {
      torn = torn || done > 0
      return failed(problem(error))
    }
    torn = false
    dirty = true
    return ok(undefined)
  }

  const syncOnce = (): Promise<Result<void, LogFailure>> =>
    new Promise((resolve) => {
      dirty = false
      fdatasync(fd, (error) => resolve(error ? failed(problem(error)) : ok(undefined)))
    })

  if (options.isNew) {
    const header = write(
      sealed({ type: "header", format: logFormat, sessionId: options.sessionId, version: options.version }),
    )
    if (!header.ok) {
      closeSync(fd)
      return header
    }
  }

  return ok({
    path,
    append: (entry, origin) => write(encodeEntry(entry, origin)),
    async sync() {
      // One sync at a time; what was appended while it ran needs another.
      while (syncing) await syncing
      if (!dirty) return ok(undefined)
      syncing = syncOnce().finally(() => (syncing = undefined))
      return syncing
    },
    close() {
      try {
        if (dirty) fsyncSync(fd)
      } catch {
        // The last sync is a courtesy: what was appended is with the kernel already.
      }
      closeSync(fd)
    },
  })
}

const plainWords: { readonly [code: string]: string } = {
  ENOSPC: "there is no space left on the disk",
  EACCES: "permission is denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a session with this id exists already",
  EDQUOT: "the disk quota is used up",
}

function why(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return plainWords[code] ?? (error instanceof Error ? error.message : String(error))
}
