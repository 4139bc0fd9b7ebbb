/** Records what the model knows of files with the results it learned it from, so that a resume knows it too. */

import { byKind, type Follower } from "#agent/words/follower.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { SeenFile } from "#agent/words/seen.ts"
import { type Files, hashOf } from "#ground/workspace/files.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { seenFile, stampOfSeen } from "#ground/workspace/seen.ts"
import type { FileStamp, Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import { seenInChange } from "#kits/context/changed-files.ts"

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

/** Restores what entries from before a resume say; current events are known already. */
export function rememberSeen(stamps: Stamps, isAwake: () => boolean): Follower {
  const put = (seen: readonly SeenFile[]): void => {
    for (const file of seen) {
      const stamp = stampOfSeen(file)
      if (stamp) stamps.put(file.path, stamp)
    }
  }
  const putSeen = ({ seen = [] }: { readonly seen?: readonly SeenFile[] | undefined }): void =>
    void (isAwake() || put(seen))
  return {
    take: byKind({
      result: putSeen,
      seeded: putSeen,
      attachment: (entry) => void (isAwake() || put(seenInChange(entry))),
      compaction({ files = [], seen = [] }) {
        if (isAwake()) return
        const shown = new Set(files)
        for (const real of stamps.paths()) if (!shown.has(real)) stamps.forget(real)
        put(seen.filter(({ path }) => stamps.peek(path) === undefined))
      },
    }),
  }
}

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
