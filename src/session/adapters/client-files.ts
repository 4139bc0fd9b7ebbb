/** Files for a client: reading one, and saying that the model already knows one. Only inside the workspace, and nothing that a rule hides. */

import { isUtf8 } from "node:buffer"
import type { EntryBody } from "#agent/words/entry.ts"
import { hashOf } from "#ground/workspace/files.ts"
import { say } from "#ground/workspace/failure.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { seenFile } from "#ground/workspace/seen.ts"
import { decode } from "#ground/workspace/text.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ReadFile } from "#session/port/query.ts"

export interface ClientFileParts {
  readonly workspace: Workspace
  readonly isAllowedFolder: (path: string) => boolean
  readonly isHidden: (path: string) => boolean
  readonly record: (body: EntryBody) => void
}

export interface ClientFiles {
  /** Bytes that are no UTF-8 are replaced, unless they are wanted as base64. */
  readonly read: (asked: AskedFile, signal: AbortSignal) => Promise<Result<ReadFile, string>>
  /** Counts as read if it has not changed since that time, in milliseconds since the epoch. */
  readonly seed: (path: string, readAt: number, signal: AbortSignal) => Promise<Result<void, string>>
}

export interface AskedFile {
  readonly path: string
  /** In bytes. */
  readonly most?: number
  readonly as?: "base64"
}

const largest = 10_000_000
const usualMost = 1_000_000

export function openClientFiles({ workspace, isAllowedFolder, isHidden, record }: ClientFileParts): ClientFiles {
  async function load(path: string, signal: AbortSignal) {
    const resolved = workspace.paths.resolve(path)
    if (!resolved.ok) return failed(`${path} is not a path.`)
    const real = realPath(resolved.value)
    if (!isAllowedFolder(resolved.value) || !isAllowedFolder(real)) return failed(`${path} is not in the workspace.`)
    if (isHidden(resolved.value) || isHidden(real))
      return failed(`${path} may not be read: a permission rule denies it.`)
    const content = await workspace.files.read(real, largest, signal)
    if (!content.ok) return failed(say(content.failure))
    if (content.value.bytes.length > largest) return failed(`${path} is larger than ${largest / 1e6} MB.`)
    return ok({ real, ...content.value })
  }

  return {
    async read({ path, most = usualMost, as }, signal) {
      const found = await load(path, signal)
      if (!found.ok) return found
      const { real, bytes } = found.value
      const part = bytes.subarray(0, most)
      const isLossy = as === undefined && !isUtf8(part)
      return ok({ path: real, text: part.toString(as ?? "utf8"), isCut: part.length < bytes.length, isLossy })
    },
    async seed(path, readAt, signal) {
      const found = await load(path, signal)
      if (!found.ok) return found
      const { real, identity, at, bytes } = found.value
      const decoded = decode(bytes)
      if (!decoded.ok) return failed(`${path} is not text.`)
      // Clients know whole milliseconds.
      if (Number(identity.modifiedNs / 1_000_000n) > readAt)
        return failed(`${path} has changed since then, so it must be read again.`)
      const stamp = { identity, at, hash: hashOf(bytes), text: decoded.value.text, shown: undefined }
      record({ kind: "seeded", seen: [seenFile(real, stamp)] })
      workspace.stamps.put(real, stamp)
      return ok(undefined)
    },
  }
}
