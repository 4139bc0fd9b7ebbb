/**
 * The append-only file behind a session. Every append is written before it returns; `sync` makes it survive a power
 * cut.
 * See decision 23.
 */

import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  open,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { promised } from "#lib/promised.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { readPiece } from "./backwards.ts"
import type { Range } from "./index-rows.ts"
import { encodeEntry, isMessage, type Origin } from "./line.ts"
import { sealed, unsealed } from "./seal.ts"
import { type LogIndex, openIndex } from "./log-index.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Log {
  readonly path: string
  readonly index: LogIndex
  readonly append: (entry: Entry, origin: Origin) => Result<void, LogFailure>
  /** Resolves once everything appended so far is on disk. */
  readonly sync: () => Promise<Result<void, LogFailure>>
  readonly close: () => void
}

/** A second place for every line, for whoever cannot reach the file. */
export interface LogCopy {
  /** `path`: that of the log the line was written to. */
  readonly add: (path: string, line: string) => void
  /** Resolves once every line so far has arrived; the failure says why nothing may be done any more. */
  readonly arrived: () => Promise<Result<void, string>>
}

export type LogFailure = { readonly kind: "unwritable"; readonly path: string; readonly message: string }

export const logFormat = 1

/** The first line of a log: its format, and where the session started. */
export function headerLine(begins: {
  readonly sessionId: string
  readonly version: string
  readonly cwd: string
  /** The session it was forked or salvaged from. */
  readonly parentSession?: string
}): string {
  const { sessionId, version, cwd, parentSession } = begins
  return sealed({ type: "header", format: logFormat, sessionId, version, cwd, parentSession })
}

/** A new file gets a first line that names the format. */
export function openLog(
  path: string,
  options: {
    readonly sessionId: string
    readonly version: string
    readonly cwd: string
    readonly isNew: boolean
    readonly copy?: LogCopy | undefined
  },
): Result<Log, LogFailure> {
  const problem = (error: unknown): LogFailure => ({ kind: "unwritable", path, message: why(error) })
  const opened = openFile(path, options.isNew)
  if (!opened.ok) return failed(problem(opened.failure))
  const fd = opened.value

  /** Where the next line starts. Unknown until the first one, because a torn line may be cut off before that. */
  let end: FileEnd | undefined = options.isNew ? { at: 0, isOpen: false } : undefined
  let dirty = false
  /** Everything before this offset is known to be on disk. */
  let synced: number | undefined
  let isDoubtful = false
  let closed = false
  // A new file survives a power cut only when its name in the folder does too.
  let unnamed = options.isNew
  let syncing: Promise<Result<void, LogFailure>> | undefined
  const gone: Result<never, LogFailure> = failed({ kind: "unwritable", path, message: "it is closed" })

  const index = openIndex(path, options)
  /** The last message, in an agent's log. */
  let said: string | undefined

  const write = (line: string): Result<Range, LogFailure> => {
    // The number of a closed file may belong to another one by now.
    if (closed) return gone
    let done = 0
    try {
      const begins = (end ??= endOfFile(fd))
      synced ??= begins.at
      const text = `${begins.isOpen ? "\n" : ""}${line}\n`
      const bytes = Buffer.byteLength(text)
      dirty = true
      done = writeSync(fd, text)
      while (done < bytes) done += writeSync(fd, Buffer.from(text), done)
      end = { at: begins.at + bytes, isOpen: false }
      options.copy?.add(path, line)
      const at = begins.at + (begins.isOpen ? 1 : 0)
      return ok({ at, bytes: end.at - at - 1 })
    } catch (error) {
      if (end && done > 0) end = cutBack(fd, end, done)
      return failed(problem(error))
    }
  }

  const syncOnce = async (): Promise<Result<void, LogFailure>> => {
    dirty = false
    const upTo = end?.at ?? 0
    try {
      if (isDoubtful) writeAgain(path, synced ?? 0, upTo)
      await Promise.all([syncData(fd), unnamed ? syncFolder(dirname(path)) : undefined])
      unnamed = false
      isDoubtful = false
      synced = upTo
      return ok(undefined)
    } catch (error) {
      // Some file systems cannot sync at all; there the kernel's word has to do.
      if (codeOf(error) === "EINVAL") return ok(undefined)
      // Whoever asks next must not be told that all is well.
      dirty = true
      isDoubtful = true
      return failed(problem(error))
    }
  }

  if (options.isNew) {
    const header = write(headerLine(options))
    if (!header.ok) {
      closeSync(fd)
      return header
    }
  }

  return ok({
    path,
    index,
    append(entry, origin) {
      const isOfAgent = origin.agentId !== undefined && isMessage(entry)
      if (isOfAgent && said === undefined && !options.isNew) said = lastMessageIn(path)
      const written = write(encodeEntry(entry, origin, undefined, isOfAgent ? said : undefined))
      if (!written.ok) return written
      if (isOfAgent) said = entry.uuid
      index.add(entry, written.value)
      return ok(undefined)
    },
    async sync() {
      // One sync at a time; what was appended while it ran needs another.
      while (syncing) await syncing
      if (closed) return gone
      const arriving = options.copy?.arrived()
      const here = dirty ? await (syncing = syncOnce().finally(() => (syncing = undefined))) : ok(undefined)
      const there = await arriving
      return !here.ok || !there || there.ok ? here : failed({ kind: "unwritable", path, message: there.failure })
    },
    close() {
      if (closed) return
      closed = true
      closeFile(fd, dirty)
    },
  })
}

function openFile(path: string, isNew: boolean): Result<number, unknown> {
  try {
    // Agents come into a folder that is there.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return ok(openSync(path, isNew ? "ax+" : "a+", 0o600))
  } catch (error) {
    return failed(error)
  }
}

function closeFile(fd: number, isDirty: boolean): void {
  try {
    if (isDirty) fsyncSync(fd)
    closeSync(fd)
  } catch {
    // The last sync is a courtesy: what was appended is with the kernel already.
  }
}

interface FileEnd {
  readonly at: number
  /** The last line lacks its newline. */
  readonly isOpen: boolean
}

function endOfFile(fd: number): FileEnd {
  const { size } = fstatSync(fd)
  return { at: size, isOpen: size > 0 && readPiece(fd, size - 1, 1)[0] !== 0x0a }
}

/** Removes a partly written line that did not fit. If that fails, the next line starts after it. */
function cutBack(fd: number, end: FileEnd, written: number): FileEnd | undefined {
  try {
    if (fstatSync(fd).size !== end.at + written) return undefined
    ftruncateSync(fd, end.at)
    return end
  } catch {
    return undefined
  }
}

/** After a failed sync the system treats unwritten pages as clean: only writing them again brings them to disk. */
function writeAgain(path: string, from: number, to: number): void {
  const fd = openSync(path, "r+")
  try {
    const bytes = readPiece(fd, from, to - from)
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, from + done)
  } finally {
    closeSync(fd)
  }
}

const syncData = (fd: number): Promise<void> => promised((done) => fdatasync(fd, (error) => done(error, undefined)))

async function syncFolder(folder: string): Promise<void> {
  const fd = await promised<number>((done) => open(folder, done))
  try {
    await promised((done) => fsync(fd, (error) => done(error, undefined)))
  } finally {
    await promised((done) => close(fd, (error) => done(error ?? null, undefined)))
  }
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
  return plainWords[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))
}

/** Logs of agents are short. */
function lastMessageIn(path: string): string | undefined {
  try {
    const lines = readFileSync(path, "utf8").split("\n").map(unsealed)
    const last = lines.findLast((line) => line?.type === "user" || line?.type === "assistant")
    return typeof last?.uuid === "string" ? last.uuid : undefined
  } catch {
    return undefined
  }
}
