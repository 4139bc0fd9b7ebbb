/** Reads a file that others may have written: a bounded size, and only regular files. */

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs"
import { failed, ok, type Result } from "#lib/result.ts"
import { codeOf, isMissing } from "#lib/error-code.ts"

/** Far more than any settings need, and still read in a moment. */
const largestFile = 1_000_000

/** Undefined when there is no such file. The failure is a sentence. */
export function readBounded(file: string): Result<string | undefined, string> {
  let handle: number
  try {
    if (!statSync(file, { throwIfNoEntry: false })) return ok(undefined)
    // A pipe must not block until someone writes into it.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (isMissing(error)) return ok(undefined)
    return failed(unreadable(error))
  }
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) return failed("This is not a file.")
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, largestFile) + 1)
    let length = 0
    for (let more = -1; more !== 0 && length < bytes.length; length += more)
      more = readSync(handle, bytes, length, bytes.length - length, null)
    if (length === bytes.length && length <= largestFile) return failed("It grew while it was read. Try again.")
    if (length > largestFile)
      return failed(`This file is larger than ${largestFile / 1_000_000} MB, too large for settings.`)
    return ok(bytes.toString("utf8", 0, length))
  } catch (error) {
    return failed(unreadable(error))
  } finally {
    closeSync(handle)
  }
}

/** Without the name of the file, which whoever says it has. */
export function unreadable(error: unknown): string {
  const code = codeOf(error)
  const fix = ["EACCES", "EPERM"].includes(code)
    ? ` It must be readable by the user that runs Codewright${owner()}.`
    : ""
  return `It cannot be read (${code || String(error)}).${fix}`
}

/** A container may know its user by number only. */
const owner = (): string => (process.geteuid ? ` (user id ${process.geteuid()})` : "")
