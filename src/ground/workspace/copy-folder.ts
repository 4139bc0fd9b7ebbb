/** Copies a folder: files, links, permissions and times; bounded in size. */

import { constants } from "node:fs"
import { chmod, copyFile, lstat, lutimes, mkdir, readdir, readlink, symlink, utimes } from "node:fs/promises"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { codeOf } from "#lib/error-code.ts"

export interface CopyLimits {
  readonly files: number
  readonly bytes: number
}

export type CopyFailure =
  | { readonly kind: "too_large"; readonly limits: CopyLimits }
  | { readonly kind: "aborted" }
  | { readonly kind: "other"; readonly message: string }

export interface CopyOptions {
  readonly limits: CopyLimits
  /** Whether a path is left out, with everything below it. */
  readonly leaves: (path: string) => boolean
  readonly signal: AbortSignal
}

/** `to` need not exist. Sockets, pipes and unreadable files are left out and returned. */
export async function copyFolder(
  from: string,
  to: string,
  { limits, leaves, signal }: CopyOptions,
): Promise<Result<readonly string[], CopyFailure>> {
  const left: string[] = []
  let files = 0
  let bytes = 0

  async function copy(source: string, target: string): Promise<CopyFailure | undefined> {
    if (signal.aborted) return { kind: "aborted" }
    if (++files > limits.files) return { kind: "too_large", limits }
    const stats = await lstat(source)
    if (stats.isSymbolicLink()) {
      await symlink(await readlink(source), target)
      await lutimes(target, stats.atimeMs / 1000, stats.mtimeMs / 1000)
      return undefined
    }
    if (stats.isFile()) {
      bytes += stats.size
      if (bytes > limits.bytes) return { kind: "too_large", limits }
      // A copy that shares the blocks until one of the two is written, where the file system can.
      await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
      await chmod(target, stats.mode & 0o7777)
      await utimes(target, stats.atimeMs / 1000, stats.mtimeMs / 1000)
      return undefined
    }
    if (!stats.isDirectory()) {
      left.push(source)
      return undefined
    }
    await mkdir(target, { recursive: true, mode: 0o700 })
    for (const name of await readdir(source)) {
      const path = join(source, name)
      if (leaves(path)) continue
      const failure = await copy(path, join(target, name)).catch((error: unknown) => unreadable(error, path))
      if (failure) return failure
    }
    await chmod(target, (stats.mode & 0o7777) | 0o700)
    await utimes(target, stats.atimeMs / 1000, stats.mtimeMs / 1000)
    return undefined
  }

  function unreadable(error: unknown, path: string): CopyFailure | undefined {
    const code = codeOf(error)
    if (code === "EACCES" || code === "EPERM") left.push(path)
    // It was there a moment ago.
    return ["EACCES", "EPERM", "ENOENT"].includes(code) ? undefined : { kind: "other", message: String(error) }
  }

  const failure = await copy(from, to).catch((error: unknown) => ({ kind: "other", message: String(error) }) as const)
  return failure ? failed(failure) : ok(left)
}
