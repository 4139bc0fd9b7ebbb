/**
 * The versions of an installation of our own: a folder for each, and a link to the current one that is renamed over.
 * Whatever is killed or fails, the link leads to a complete version, and the version before is kept.
 */

import { Database } from "bun:sqlite"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { codeOf } from "#lib/error-code.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { programIn } from "./archive.ts"
import { isVersion } from "./releases.ts"

export interface Versions {
  readonly current: string | undefined
  /** The one to go back to, if it is complete. */
  readonly before: string | undefined
}

const programFile = "codewright"
/** In the folder of a version: which one was current when it became so. */
const beforeFile = "before"
const incoming = "incoming-"

export function versionsIn(root: string): Versions {
  const current = linked(root)
  const before = current === undefined ? undefined : beforeOf(root, current)
  return { current, before: before !== undefined && isComplete(root, before) ? before : undefined }
}

/** Unpacks a version and makes it the current one. `starts` tries the new program before anything else sees it. */
export async function install(
  root: string,
  version: string,
  archive: Uint8Array,
  starts: (program: string) => Promise<Result<void, string>>,
): Promise<Result<void, string>> {
  return changing(root, async () => {
    const { current, before } = versionsIn(root)
    if (version === current) return ok(undefined)
    if (version === before) return switchTo(root, version, current)
    const folder = join(root, `${incoming}${process.pid}`)
    mkdirSync(folder, { recursive: true })
    const program = join(folder, programFile)
    const bytes = await programIn(archive)
    if (!bytes.ok) return bytes
    write(program, bytes.value, 0o755)
    const works = await starts(program)
    if (!works.ok) return failed(`Version ${version} does not start here: ${works.failure} Nothing was changed.`)
    const place = join(root, "versions", version)
    // Left behind by one that was stopped between these lines; nothing leads there.
    rmSync(place, { recursive: true, force: true })
    renameSync(folder, place)
    return switchTo(root, version, current)
  })
}

export const goBack = (root: string): Promise<Result<string, string>> =>
  changing(root, async () => {
    const { current, before } = versionsIn(root)
    if (before === undefined) return failed("There is no version to go back to.")
    const done = switchTo(root, before, current)
    return done.ok ? ok(before) : done
  })

/** What it goes back to is written first, so that the rename alone decides. */
function switchTo(root: string, version: string, from: string | undefined): Result<void, string> {
  if (from !== undefined) write(join(root, "versions", version, beforeFile), `${from}\n`, 0o644)
  const link = join(root, `${incoming}${process.pid}-link`)
  rmSync(link, { force: true })
  symlinkSync(join("versions", version), link)
  renameSync(link, join(root, "current"))
  syncFolder(root)
  for (const old of readdirSync(join(root, "versions")))
    if (old !== version && old !== from) rmSync(join(root, "versions", old), { recursive: true, force: true })
  return ok(undefined)
}

/** One at a time: the system releases the lock when its process ends, however it ends. */
async function changing<Value>(
  root: string,
  work: () => Promise<Result<Value, string>>,
): Promise<Result<Value, string>> {
  let lock: Database | undefined
  try {
    lock = new Database(join(root, "lock"))
    lock.run("begin exclusive")
  } catch (error) {
    lock?.close()
    if (codeOf(error).startsWith("SQLITE_BUSY"))
      return failed("Another update is running. Wait for it to finish, then try again.")
    return failed(`${root} cannot be changed: it is read-only, or belongs to somebody else. Nothing was changed.`)
  }
  try {
    return await work()
  } catch (error) {
    return failed(words(root, error))
  } finally {
    for (const left of entries(root).filter((name) => name.startsWith(incoming)))
      rmSync(join(root, left), { recursive: true, force: true })
    lock.close()
  }
}

function words(root: string, error: unknown): string {
  const code = codeOf(error)
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG")
    return `There is not enough space for the new version in ${root}. Nothing was changed. Free about 200 MB, then try again.`
  if (code === "EROFS" || code === "EACCES" || code === "EPERM")
    return `${root} cannot be changed: it is read-only, or belongs to somebody else. Nothing was changed.`
  return `The new version could not be installed in ${root}. ${error instanceof Error ? error.message : String(error)}`
}

function linked(root: string): string | undefined {
  try {
    return basename(readlinkSync(join(root, "current")))
  } catch {
    return undefined
  }
}

function beforeOf(root: string, version: string): string | undefined {
  try {
    const text = readFileSync(join(root, "versions", version, beforeFile), "utf8").trim()
    return isVersion(text) ? text : undefined
  } catch {
    return undefined
  }
}

const isComplete = (root: string, version: string): boolean => existsSync(join(root, "versions", version, programFile))

const entries = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function write(path: string, contents: string | Uint8Array, mode: number): void {
  const fd = openSync(path, "w", mode)
  try {
    writeFileSync(fd, contents)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, "r")
  fsyncSync(fd)
  closeSync(fd)
}
