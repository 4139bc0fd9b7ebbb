/** The file a change starts from: it must have been read in this conversation and be unchanged since. */

import type { FileFailure } from "#ground/workspace/failure.ts"
import { type FileState, type Files, hashOf } from "#ground/workspace/files.ts"
import { type Identity, isSameState } from "#ground/workspace/identity.ts"
import type { FileStamp, Stamps } from "#ground/workspace/stamps.ts"
import { type DecodedText, decode, encode, encodingNames, type TextShape } from "#ground/workspace/text.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface CurrentFile extends DecodedText {
  readonly identity: Identity
}

/** Larger files are not for whole-file tools. */
const largest = 64_000_000

export interface FileGround {
  readonly files: Files
  readonly stamps: Stamps
}

/** The current file, or `absent`. An empty file has nothing to lose, so it need not have been read. */
export async function currentFile(
  { files, stamps }: FileGround,
  real: string,
  signal: AbortSignal,
): Promise<Result<CurrentFile | "absent", FileFailure>> {
  const state = files.stat(real)
  if (!state.ok) return state.failure.kind === "not_found" ? ok("absent") : state
  const stamp = stamps.get(real)
  if (stamp === undefined && state.value.identity.bytes > 0) return failed({ kind: "not_read", path: real })
  const content = await files.read(real, largest, signal)
  if (!content.ok) return content
  const { bytes, identity } = content.value
  if (stamp !== undefined && !isAsStamped(stamp, bytes, identity))
    return failed({ kind: "changed", path: real, ...optional("difference", await differenceSince(stamp, bytes)) })
  const text = decode(bytes)
  return text.ok ? ok({ ...text.value, identity }) : failed({ kind: "binary", path: real })
}

const mostCompared = 500_000
const mostShown = 4_000

/** What changed since it was read; undefined if the texts are not available, or too long to compare while someone waits. */
async function differenceSince({ text }: FileStamp, bytes: Buffer): Promise<string | undefined> {
  const now = decode(bytes)
  if (text === undefined || !now.ok || text.length + now.value.text.length > mostCompared) return undefined
  const { hunksOf, patchText } = await import("#lib/diff.ts")
  const difference = patchText(await hunksOf(text, now.value.text))
  return difference.length > mostShown
    ? `${difference.slice(0, mostShown).toWellFormed()}\n[part of the difference is not shown]`
    : difference
}

export interface NewText {
  readonly real: string
  readonly text: string
  readonly shape: TextShape
  readonly over: Identity | "nothing"
}

/** Writes a text in its shape and records the new state as known, but not as shown. */
export async function writeText(
  ground: FileGround,
  { real, text, shape, over }: NewText,
  signal: AbortSignal,
): Promise<Result<FileState, FileFailure>> {
  const bytes = encodeText({ real, text, shape })
  if (!bytes.ok) return bytes
  const written = await ground.files.write(real, bytes.value, over, signal)
  if (written.ok) ground.stamps.put(real, stampOf(written.value, bytes.value, text))
  return written
}

/** Fails if the file's encoding lacks one of the characters. */
export function encodeText({ real, text, shape }: Omit<NewText, "over">): Result<Buffer, FileFailure> {
  const bytes = encode(text, shape)
  if (bytes.ok) return bytes
  const encoding = encodingNames[shape.encoding]
  return failed({ kind: "not_encodable", path: real, encoding, character: bytes.failure })
}

/** The stamp of a file we have just written; its new content was not shown. */
export function stampOf({ identity, at }: FileState, bytes: Uint8Array, text: string): FileStamp {
  return { identity, at, hash: hashOf(bytes), text, shown: undefined }
}

/** Compares contents; for files too large to be kept, only the state. */
function isAsStamped(stamp: FileStamp, bytes: Uint8Array, identity: Identity): boolean {
  return stamp.hash === undefined ? isSameState(stamp.identity, identity) : stamp.hash === hashOf(bytes)
}
