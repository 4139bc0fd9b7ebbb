/** Forks a session: a copy of its path, under a new id. */

import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { encodeEntry, type Origin } from "./line.ts"
import { type LoadFailure, loadLog } from "./load.ts"
import { headerLine } from "./log.ts"
import { pathOf } from "./path.ts"

export type ForkFailure = LoadFailure | { readonly kind: "unwritable"; readonly path: string; readonly message: string }

/**
 * Copies the conversation, and what applies to the session on any branch: mode, model, folder, title, grants, how it was
 * opened, and the setup of its requests. The original log is only read; it may be open elsewhere.
 */
export function forkLog(fork: {
  readonly from: { readonly sessionId: string; readonly path: string }
  readonly to: string
  readonly origin: Origin
}): Result<{ readonly entries: number; readonly notes: readonly string[] }, ForkFailure> {
  const { from, to, origin } = fork
  const loaded = loadLog(from.path, { torn: "leave" })
  if (!loaded.ok) return loaded
  const path = new Set(pathOf(loaded.value.entries))
  const copied = loaded.value.entries.filter((entry) => path.has(entry) || sessionKinds.has(entry.kind))
  const header = headerLine({ ...origin, parentSession: from.sessionId })
  const lines = relinked(copied, path).map((entry) =>
    encodeEntry(entry, origin, { forkedFrom: { sessionId: from.sessionId, messageUuid: entry.uuid } }),
  )
  const written = writeNew(to, [header, ...lines])
  return written.ok ? ok({ entries: copied.length, notes: loaded.value.notes }) : written
}

const sessionKinds: ReadonlySet<string> = new Set<Entry["kind"]>([
  "mode",
  "model",
  "thinking",
  "budget",
  "cwd",
  "folders",
  "title",
  "grant",
  "begun",
  "gates",
  "setup",
])

/** A copy has one branch, so each entry follows the previous one; gaps stay visible. */
function relinked(copied: readonly Entry[], path: ReadonlySet<Entry>): Entry[] {
  const known = new Set<string>()
  let last: string | null = null
  return copied.map((entry): Entry => {
    const isAfterGap = path.has(entry) && entry.parentUuid !== null && !known.has(entry.parentUuid)
    const parentUuid: string | null = isAfterGap ? entry.parentUuid : last
    known.add(entry.uuid)
    last = entry.uuid
    return { ...entry, parentUuid }
  })
}

/** Never overwrites. An incomplete file is removed again. */
export function writeNew(path: string, lines: readonly string[]): Result<void, ForkFailure> {
  let fd: number | undefined
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    fd = openSync(path, "wx", 0o600)
    for (let at = 0; at < lines.length; at += 1000) {
      const bytes = Buffer.from(`${lines.slice(at, at + 1000).join("\n")}\n`)
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
    }
    fsyncSync(fd)
    closeSync(fd)
    return ok(undefined)
  } catch (error) {
    if (fd !== undefined) {
      closeSync(fd)
      rmSync(path, { force: true })
    }
    return failed({ kind: "unwritable", path, message: error instanceof Error ? error.message : String(error) })
  }
}
