/** Turns what was found into states: only what may have changed is opened, hashed and stored. */

import type { Clock } from "#lib/clock.ts"
import type { SnapshotLimits } from "./limits.ts"
import type { PackWriter } from "./pack.ts"
import { pause } from "./pause.ts"
import {
  absent,
  isKeptLate,
  isNamed,
  isOwnFile,
  isSame,
  isSameStamp,
  isSameTime,
  ownFileHash,
  type PathState,
  unreadHash,
} from "./state.ts"
import { readSteady, type SteadyRead, tooLarge } from "./steady-read.ts"
import { hashOf } from "./store.ts"
import type { FoundPath } from "./walk.ts"

export interface GatherOptions {
  readonly before: ReadonlyMap<string, PathState>
  readonly has: (hash: string) => boolean
  /** Called only when there is something to store. */
  readonly writer: () => PackWriter
  /** Where the content of a path is kept, if it is not to be read at the path itself; undefined if it has none. */
  readonly savedAt?: ((path: string) => string | undefined) | undefined
  /** Whether the content of a path is not worth keeping. */
  readonly isMade?: ((path: string) => boolean) | undefined
  /** Whether a saved content is kept as a file of its own, which `lend` is given. */
  readonly isOwn?: ((path: string) => boolean) | undefined
  readonly lend?: ((hash: string, at: string) => boolean) | undefined
  /** A new time alone is a change, and large files are known by name. */
  readonly isExact?: boolean | undefined
  /** What a path was just restored to: if it looks like that, it is not read again. */
  readonly restored?: ((path: string) => PathState | undefined) | undefined
  readonly limits: SnapshotLimits
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Gathered {
  readonly changed: ReadonlyMap<string, PathState>
  /** The same content with a new stamp: not worth a snapshot, but worth knowing. */
  readonly renewed: ReadonlyMap<string, PathState>
}

/** Yields to the event loop after so many bytes or files. */
const bytesAtOnce = 2_000_000
const filesAtOnce = 50

/** `found` has no entry for a path where nothing exists. */
export async function gather(
  found: Iterable<readonly [string, FoundPath | undefined]>,
  {
    before,
    has,
    writer,
    savedAt,
    isMade,
    isOwn,
    lend,
    restored,
    isExact = false,
    limits,
    clock,
    signal,
  }: GatherOptions,
): Promise<Gathered> {
  const changed = new Map<string, PathState>()
  const renewed = new Map<string, PathState>()
  let bytes = 0
  let files = 0

  function stateOf(path: string, seen: FoundPath): PathState {
    if (seen.kind !== "file") return seen
    const { mode, stamp } = seen
    const known = restored?.(path)
    if (known?.kind === "file" && isAsRestored(seen, known) && (isNamed(known.hash) || has(known.hash)))
      return { kind: "file", mode, hash: known.hash, stamp }
    const unread = unreadHash(before.get(path), stamp)
    const at = savedAt ? savedAt(path) : path
    if (savedAt && at !== undefined && (isOwn?.(path) === true || isKnownByName(before.get(path)))) {
      const hash = isNamed(unread) ? ownFileHash(unread) : unread
      return !isNamed(hash) || lend?.(hash, at) === true
        ? { kind: "file", mode, hash, stamp }
        : { kind: "uncovered", why: notKept, stamp }
    }
    // Its bytes would say nothing about a content that is only known by name.
    if (isOwnFile(unread)) return { kind: "file", mode, hash: unread, stamp }
    if (isExact && (stamp.bytes > limits.fileBytes || (stamp.bytes > 0 && isMade?.(path) === true)))
      return { kind: "file", mode, hash: unread, stamp }
    if (stamp.bytes > limits.fileBytes) return { kind: "uncovered", why: tooLarge(stamp.bytes), stamp }
    const read = at === undefined || stamp.bytes === 0 ? empty(seen) : readSteady(at, limits.fileBytes, clock)
    if (read.kind === "gone") return savedAt ? { kind: "uncovered", why: notKept, stamp: seen.stamp } : absent
    if (read.kind === "unreadable") return { kind: "uncovered", why: read.why, stamp: seen.stamp }
    const hash = hashOf(read.bytes)
    bytes += read.bytes.length
    files++
    if (!has(hash)) writer().add(hash, read.bytes)
    return savedAt
      ? { kind: "file", mode: seen.mode, hash, stamp: seen.stamp }
      : { kind: "file", mode: read.mode, hash, stamp: read.stamp }
  }

  for (const [path, seen] of found) {
    const old = before.get(path)
    // What the store has of it may be a link of the very file that was changed after it was saved.
    const isSavedAnew = savedAt !== undefined && isKnownByName(old)
    if (seen !== undefined && old !== undefined && !isSavedAnew && isSurelyTheSame(old, seen)) continue
    const state = seen === undefined ? absent : stateOf(path, seen)
    const isNew =
      old === undefined || !isSame(old, state) || isKeptLate(old, state) || (isExact && !isSameTime(old, state))
    if (isNew) changed.set(path, state)
    else renewed.set(path, state)
    if (bytes < bytesAtOnce && files < filesAtOnce) continue
    bytes = 0
    files = 0
    await pause()
    if (signal.aborted) break
  }
  return { changed, renewed }
}

const isKnownByName = (old: PathState | undefined): boolean => old?.kind === "file" && isNamed(old.hash)

const notKept = "its content could not be kept"

/** Times are restored to the microsecond. */
const nearMs = 0.002

const isAsRestored = (
  seen: FoundPath & { readonly kind: "file" },
  to: PathState & { readonly kind: "file" },
): boolean =>
  seen.mode === to.mode &&
  seen.stamp.bytes === to.stamp.bytes &&
  Math.abs(seen.stamp.modifiedMs - to.stamp.modifiedMs) < nearMs

const empty = ({ mode, stamp }: FoundPath & { readonly kind: "file" }): SteadyRead => ({
  kind: "read",
  bytes: new Uint8Array(),
  mode,
  stamp,
})

/** Decided without opening the file. */
function isSurelyTheSame(old: PathState, seen: FoundPath): boolean {
  switch (seen.kind) {
    case "folder":
      return old.kind === "folder" && old.mode === seen.mode
    case "link":
      return old.kind === "link" && old.target === seen.target
    case "file":
      // A recent stamp proves nothing but the size: the file is read again unless it is empty.
      return (
        old.kind === "file" &&
        old.mode === seen.mode &&
        (old.stamp.settled || old.stamp.bytes === 0) &&
        isSameStamp(old.stamp, seen.stamp)
      )
    default:
      return old.kind === "uncovered" && isSameStamp(old.stamp, seen.stamp)
  }
}
