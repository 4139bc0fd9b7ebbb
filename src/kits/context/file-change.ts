/** What happened to a file since it was stamped, judged by its content. */

import { type Files, hashOf } from "#ground/workspace/files.ts"
import { type Identity, isSameState } from "#ground/workspace/identity.ts"
import type { FileStamp } from "#ground/workspace/stamps.ts"
import { decode, withLf } from "#ground/workspace/text.ts"
import { hunksOf, patchText } from "#lib/diff.ts"

export type FileChange =
  /** The content is unchanged; the stamp is updated. */
  | { readonly kind: "none"; readonly stamp: FileStamp }
  | { readonly kind: "gone" }
  /** `text` is the diff, as far as it fits; the stamp is there only if nothing was left out. */
  | {
      readonly kind: "changed"
      readonly text: string
      readonly identity: Identity
      readonly stamp: FileStamp | undefined
    }

/** Larger files are reported, but not compared. */
const largest = 64_000_000
const largestCompared = 2_000_000

/** What is on disk now: a change, or another text still to be compared; `unknown` if it cannot be read at the moment. */
export type SeenOnDisk =
  | FileChange
  | "unknown"
  | { readonly kind: "differs"; readonly before: string; readonly now: FileStamp & { readonly text: string } }

/** Can run in parallel for several files: a disk can be slow to open each. */
export async function recheckFile(
  files: Files,
  real: string,
  stamp: FileStamp,
  signal: AbortSignal,
): Promise<SeenOnDisk> {
  const state = files.stat(real)
  if (!state.ok) return state.failure.kind === "no_permission" ? "unknown" : { kind: "gone" }
  const { identity } = state.value
  // For a file too large to be hashed, its state must do.
  if (stamp.hash === undefined && isSameState(stamp.identity, identity)) return { kind: "none", stamp }
  const unread: FileChange = { kind: "changed", text: "", identity, stamp: undefined }
  if (stamp.hash === undefined || identity.bytes > largest) return unread
  const content = await files.read(real, largest, signal)
  if (!content.ok) return content.failure.kind === "not_found" ? { kind: "gone" } : "unknown"
  const { bytes, at } = content.value
  const hash = hashOf(bytes)
  const fresh = { identity: content.value.identity, at }
  if (hash === stamp.hash) return { kind: "none", stamp: { ...stamp, ...fresh } }
  const decoded = bytes.length > largestCompared ? undefined : decode(bytes)
  if (stamp.text === undefined || stamp.text.length > largestCompared || !decoded?.ok)
    return { ...unread, identity: fresh.identity }
  const { text } = decoded.value
  const now = { ...fresh, hash, text, shown: undefined }
  // Different bytes for the same text do not matter to the model.
  if (text === stamp.text) return { kind: "none", stamp: { ...now, shown: stamp.shown } }
  return { kind: "differs", before: stamp.text, now }
}

/** Describes a change in at most `room` characters. */
export async function changeIn(seen: SeenOnDisk, room: number): Promise<FileChange | "unknown"> {
  if (seen === "unknown" || seen.kind !== "differs") return seen
  const { before, now } = seen
  const { text, isWhole } = await differenceOf(before, now.text, room)
  return { kind: "changed", text, identity: now.identity, stamp: isWhole ? now : undefined }
}

const longestLine = 500

async function differenceOf(
  before: string,
  after: string,
  room: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  if (withLf(before) === withLf(after)) return { text: "(only its line ends)", isWhole: true }
  const lines = patchText(await hunksOf(before, after)).split("\n")
  const shown: string[] = []
  let left = room
  let isWhole = true
  for (const line of lines) {
    const part = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
    left -= part.length + 1
    if (left < 0 || part !== line) isWhole = false
    if (left < 0) break
    shown.push(part)
  }
  if (isWhole) return { text: shown.join("\n"), isWhole }
  return { text: [...shown, "[part of the difference is not shown]"].join("\n"), isWhole }
}
