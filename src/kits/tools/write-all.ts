/** Writes several files or none: if one cannot be written, those already written are restored. */

import type { FileFailure } from "#ground/workspace/failure.ts"
import type { StagedWrite, WrittenState } from "#ground/workspace/files.ts"
import type { FileStamp } from "#ground/workspace/stamps.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { encodeText, type FileGround, stampOf } from "./current-file.ts"
import type { ReadyDraft } from "./edit-plan.ts"

/** Why nothing was written, and what happened to the files that had been. */
export interface WriteAllFailure {
  readonly why: FileFailure
  /** Files that changed for a moment and are as before. */
  readonly restored: readonly string[]
  readonly left: readonly FileFailure[]
}

/** All contents are on disk beside their files before the first file changes, so that a full disk changes none. */
export async function writeAll(
  ground: FileGround,
  drafts: readonly ReadyDraft[],
  signal: AbortSignal,
): Promise<Result<undefined, WriteAllFailure>> {
  const staged: StagedDraft[] = []
  for (const draft of drafts) {
    const write = await ground.files.stage(draft.place.real, draft.bytes, draft.over, signal)
    if (write.ok) staged.push({ draft, write: write.value })
    else return giveUp(staged, write.failure)
  }
  return commitAll(ground, staged)
}

interface StagedDraft {
  readonly draft: ReadyDraft
  readonly write: StagedWrite
}

interface CommittedFile {
  readonly draft: ReadyDraft
  readonly written: WrittenState
  readonly known: FileStamp | undefined
}

/** The commits wait for nothing but an editor, so no other call of ours sees only some of the files changed. */
async function commitAll(
  ground: FileGround,
  staged: readonly StagedDraft[],
): Promise<Result<undefined, WriteAllFailure>> {
  const done: CommittedFile[] = []
  for (const [index, { draft, write }] of staged.entries()) {
    const { real } = draft.place
    const committed = write.commit()
    const written = committed instanceof Promise ? await committed : committed
    if (!written.ok) {
      // This one dropped itself, but not the folders that the later ones were in.
      const { failure } = giveUp(staged.slice(index), written.failure)
      return failed({ ...failure, ...(await restore(ground, done)) })
    }
    done.push({ draft, written: written.value, known: ground.stamps.get(real) })
    ground.stamps.put(real, stampOf(written.value, draft.bytes, draft.after))
  }
  return ok(undefined)
}

function giveUp(staged: readonly StagedDraft[], why: FileFailure): { ok: false; failure: WriteAllFailure } {
  for (const { write } of staged.toReversed()) write.drop()
  return failed({ why, restored: [], left: [] })
}

async function restore(ground: FileGround, done: readonly CommittedFile[]): Promise<Omit<WriteAllFailure, "why">> {
  const restored: string[] = []
  const left: FileFailure[] = []
  for (const one of done.toReversed()) {
    const back = one.draft.over === "nothing" ? removeMade(ground, one) : await writeBack(ground, one)
    if (back.ok) restored.unshift(one.draft.place.path)
    else left.unshift(back.failure)
  }
  return { restored, left }
}

function removeMade(
  { files, stamps }: FileGround,
  { draft, written, known }: CommittedFile,
): Result<undefined, FileFailure> {
  const { real } = draft.place
  const removed = files.unmake(real, written)
  if (!removed.ok) return removed
  if (known === undefined) stamps.forget(real)
  else stamps.put(real, known)
  return removed
}

async function writeBack(
  { files, stamps }: FileGround,
  { draft, written, known }: CommittedFile,
): Promise<Result<undefined, FileFailure>> {
  const { real } = draft.place
  const bytes = encodeText({ real, text: draft.before, shape: draft.shape })
  if (!bytes.ok) return bytes
  // Whatever ended the call, what it began must be undone, so nothing aborts this.
  const back = await files.write(real, bytes.value, written.identity, new AbortController().signal)
  if (!back.ok) return back
  const { identity, at } = back.value
  if (known === undefined) stamps.forget(real)
  else stamps.put(real, { ...known, identity, at })
  return ok(undefined)
}
