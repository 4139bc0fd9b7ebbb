/**
 * Files as an open editor has them: reads see text that is not saved yet, and writes go through the editor, which saves
 * them. Whatever the editor does not answer is as it is on disk.
 */

import { unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FileFailure } from "./failure.ts"
import type { FileContent, Files, WrittenState } from "./files.ts"
import { isSameState } from "./identity.ts"

export interface EditorBuffers {
  /** Whether there is an editor now; there always is one when absent. */
  readonly isThere?: () => boolean
  /** The text as the editor has it, also if it has not been opened there; undefined if it cannot tell. */
  readonly read: (path: string, signal: AbortSignal) => Promise<string | undefined>
  /** Whether the editor took it; absent if it takes none. */
  readonly write?: (path: string, text: string, signal: AbortSignal) => Promise<boolean>
}

export interface BufferedFiles extends Files {
  /** Saves what is unsaved in the editor, so that undo knows it and nothing is written over it. */
  readonly save: (real: string, signal: AbortSignal) => Promise<void>
  /** Files that are not saved now, of those that were not when they were last looked at: an editor does not list them. */
  readonly unsaved: (signal: AbortSignal) => Promise<readonly string[]>
}

interface Buffered {
  readonly buffers: EditorBuffers
  /** Only these are asked for. */
  readonly isInside: (real: string) => boolean
  /** For copies of unsaved text. */
  readonly scratch: string
  readonly clock: Clock
  readonly ids: Ids
}

/** Larger files are not for editors. */
const largest = 10_000_000
/** An editor that is busy longer than this is not waited for. */
const patienceMs = 3_000

export function withBuffers(files: Files, { buffers, isInside, scratch, clock, ids }: Buffered): BufferedFiles {
  /** Files that had unsaved text when they were last looked at. */
  const known = new Set<string>()
  const mayAsk = (real: string): boolean => buffers.isThere?.() !== false && isInside(real)

  /** The unsaved text of a file, in its line ends; undefined where it is as on disk. */
  async function unsavedText(real: string, disk: Buffer, signal: AbortSignal): Promise<string | undefined> {
    const saved = plainText(disk)
    if (saved === undefined) return undefined
    const shown = await inTime(signal, (until) => buffers.read(real, until))
    if (shown === undefined) return undefined
    const text = asSaved(shown, saved)
    return text === saved ? undefined : text
  }

  async function inTime<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const late = new AbortController()
    const stop = clock.after(patienceMs, () => late.abort())
    const until = AbortSignal.any([signal, late.signal])
    try {
      return await ask(until)
    } finally {
      stop()
    }
  }

  async function current(
    real: string,
    signal: AbortSignal,
  ): Promise<{ readonly disk: FileContent; readonly text: string | undefined } | undefined> {
    const disk = mayAsk(real) ? await files.read(real, largest, signal) : undefined
    const text = disk?.ok ? await unsavedText(real, disk.value.bytes, signal) : undefined
    if (text === undefined) known.delete(real)
    else known.add(real)
    return disk?.ok ? { disk: disk.value, text } : undefined
  }

  const stage: Files["stage"] = async (...write) => {
    const [real, bytes, over, signal] = write
    const staged = await files.stage(...write)
    const text = buffers.write && mayAsk(real) ? plainText(Buffer.from(bytes)) : undefined
    if (!staged.ok || text === undefined) return staged
    return ok({
      ...staged.value,
      async commit(): Promise<Result<WrittenState, FileFailure>> {
        const before = files.stat(real)
        const isAsExpected = over === "nothing" ? !before.ok : before.ok && isSameState(before.value.identity, over)
        if (!isAsExpected) return staged.value.commit()
        // The folder must be there, and stay; only the file itself comes from the editor.
        const isTaken =
          over !== "nothing" &&
          (await inTime(signal, (until) => buffers.write?.(real, text, until) ?? Promise.resolve(false)))
        const after = files.stat(real)
        if (isTaken !== true || !after.ok) return staged.value.commit()
        staged.value.drop()
        return ok({ ...after.value, madeFolder: undefined })
      },
    })
  }

  return {
    ...files,
    async read(real, limit, signal) {
      const now = await current(real, signal)
      if (now?.text === undefined) return files.read(real, limit, signal)
      const bytes = Buffer.from(now.text)
      if (bytes.length > limit) return failed({ kind: "too_large", path: real, bytes: bytes.length, limit })
      return ok({ ...now.disk, bytes })
    },
    async readLines(real, query, signal) {
      const now = await current(real, signal)
      if (now?.text === undefined) return files.readLines(real, query, signal)
      const copy = join(scratch, `unsaved-${ids.uuid()}`)
      try {
        writeFileSync(copy, now.text, { mode: 0o600 })
        const page = await files.readLines(copy, query, signal)
        return page.ok ? ok({ ...page.value, identity: now.disk.identity, at: now.disk.at }) : page
      } finally {
        unlinkSync(copy)
      }
    },
    stage,
    async write(...write) {
      const staged = await stage(...write)
      return staged.ok ? staged.value.commit() : staged
    },
    async unsaved(signal) {
      await Promise.all([...known].map((real) => current(real, signal)))
      return [...known].toSorted()
    },
    async save(real, signal) {
      const now = buffers.write ? await current(real, signal) : undefined
      const { text } = now ?? {}
      if (text !== undefined)
        await inTime(signal, (until) => buffers.write?.(real, text, until) ?? Promise.resolve(false))
    },
  }
}

/** UTF-8 without a mark at its beginning; undefined for anything else, which stays on disk. */
function plainText(bytes: Buffer): string | undefined {
  if (bytes.length > largest || bytes.includes(0)) return undefined
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.startsWith("\ufeff") ? undefined : text
  } catch {
    return undefined
  }
}

/** Editors have lines rather than line ends: those of the file on disk count, and so does its last one. */
function asSaved(shown: string, saved: string): string {
  const isCrlf = saved.includes("\r\n")
  const text = isCrlf && !shown.includes("\r\n") ? shown.replaceAll("\n", "\r\n") : shown
  const end = isCrlf ? "\r\n" : "\n"
  return saved.endsWith(end) && !text.endsWith(end) && text !== "" ? `${text}${end}` : text
}
