/** Records what the model knows of files with the results it learned it from, so that a resume knows it too. */

import { byKind, type Follower } from "#agent/words/follower.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { SeenFile } from "#agent/words/seen.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { type Files, hashOf } from "#ground/workspace/files.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { seenFile, stampOfSeen } from "#ground/workspace/seen.ts"
import type { FileStamp, Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import { seenInAttachment } from "#kits/context/seen-in.ts"

/** The innermost layer, so that it sees the paths the tool actually gets. */
export const keepSeen =
  (stamps: Stamps): Middleware =>
  async (call, next) => {
    const mark = stamps.mark()
    const outcome = await next(call)
    if (stamps.mark() === mark) return outcome
    // Calls run in parallel: what another call saw is recorded with that call.
    const named = [...call.footprint.reads, ...call.footprint.writes]
    const own = new Set(named.map((path) => (stamps.putSince(mark, path) ? path : realPath(path))))
    const seen = [...own].flatMap((real) => {
      const stamp = stamps.putSince(mark, real)
      return stamp ? [seenFile(real, stamp)] : []
    })
    return seen.length === 0 ? outcome : { ...outcome, seen }
  }

/** Reads whose files count as known only once what was read is recorded in the conversation. */
export function openMentioned(stamps: Stamps): {
  readonly stamps: Stamps
  readonly reading: (read: () => Promise<Outcome>) => Promise<Outcome>
  readonly shown: (seen: readonly SeenFile[]) => void
} {
  const found = new Map<string, FileStamp>()
  return {
    stamps: { ...stamps, put: (real, stamp) => void found.set(real, stamp) },
    async reading(read) {
      const before = new Map(found)
      const outcome = await read()
      const own = [...found].filter(([real, stamp]) => before.get(real) !== stamp)
      return { ...outcome, seen: own.map(([real, stamp]) => seenFile(real, stamp)) }
    },
    shown(seen) {
      for (const { path } of seen) {
        const stamp = found.get(path)
        if (stamp) stamps.put(path, stamp)
        found.delete(path)
      }
    },
  }
}

/**
 * Keeps to the files of the current conversation: after a clear, a rewind or a switch the entries that lead to its new
 * place say which files it has read. Entries that happen now are known already.
 */
export function rememberSeen(stamps: Stamps, isAwake: () => boolean): Follower {
  /** What was known before, while the entries of another conversation are told. */
  let before: ReadonlyMap<string, FileStamp> | undefined
  const isPast = (): boolean => !isAwake() || before !== undefined
  const put = (seen: readonly SeenFile[]): void => {
    for (const file of seen) {
      const stamp = stampOfSeen(file)
      if (stamp) stamps.put(file.path, withText(stamp, before?.get(file.path)))
    }
  }
  const putSeen = ({ seen = [] }: { readonly seen?: readonly SeenFile[] | undefined }): void =>
    void (isPast() && put(seen))
  return {
    conversation: {
      reset() {
        before = new Map(stamps.entries())
        stamps.forgetAll()
      },
      resume: () => void (before = undefined),
      onEntry: byKind({
        result: putSeen,
        seeded: putSeen,
        attachment: (entry) => void (isPast() && put(seenInAttachment(entry))),
        // What was read before is no longer in context, so it must be shown again when asked for.
        shrink: stamps.forgetShown,
        stub: stamps.forgetShown,
        orphan: stamps.forgetShown,
        compaction({ files = [], seen = [] }) {
          stamps.forgetShown()
          if (!isPast()) return
          const shown = new Set(files)
          for (const real of stamps.paths()) if (!shown.has(real)) stamps.forget(real)
          put(seen.filter(({ path }) => stamps.peek(path) === undefined))
        },
      }),
    },
  }
}

/** The text is not in the log; it may still be in memory. */
const withText = (stamp: FileStamp, known: FileStamp | undefined): FileStamp =>
  known?.text !== undefined && stamp.hash !== undefined && known.hash === stamp.hash
    ? { ...stamp, text: known.text }
    : stamp

/** More than are shown again after a compaction. */
const mostTexts = 20
const largestText = 1_000_000

/** Rereads files that are unchanged, so that later changes can be reported line by line. Nobody waits for it. */
export async function recallTexts(
  { stamps, files }: { readonly stamps: Stamps; readonly files: Files },
  signal: AbortSignal,
): Promise<void> {
  for (const [real, stamp] of stamps.entries().slice(-mostTexts).toReversed()) {
    if (signal.aborted) return
    const text = await textOf(files, real, stamp, signal)
    if (text !== undefined && stamps.peek(real) === stamp) stamps.renew(real, { ...stamp, text })
  }
}

async function textOf(files: Files, real: string, stamp: FileStamp, signal: AbortSignal): Promise<string | undefined> {
  if (stamp.hash === undefined || stamp.identity.bytes > largestText) return undefined
  const content = await files.read(real, largestText, signal)
  if (!content.ok || hashOf(content.value.bytes) !== stamp.hash) return undefined
  const decoded = decode(content.value.bytes)
  return decoded.ok ? decoded.value.text : undefined
}
