/** The state of a path at a moment: a file, a link, a folder, nothing, or something that is not covered. */

import type { Stats } from "node:fs"

export type PathState =
  | { readonly kind: "file"; readonly mode: number; readonly hash: string; readonly stamp: Stamp }
  | { readonly kind: "link"; readonly target: string; readonly stamp: Stamp }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "absent" }
  /** It exists, but its content is not kept. */
  | { readonly kind: "uncovered"; readonly why: string; readonly stamp: Stamp }

/** A path's metadata, read without opening it. Equal and settled stamps mean an unchanged file. */
export interface Stamp {
  readonly bytes: number
  readonly modifiedMs: number
  /** When the file or its permissions last changed; programs cannot set it back. */
  readonly changedMs: number
  readonly inode: number
  readonly device: number
  /** Whether it was already old when read: a change right afterwards can carry the same times. */
  readonly settled: boolean
}

export const absent: PathState = { kind: "absent" }

export function stampOf(stats: Stats, lookedAtMs: number): Stamp {
  return {
    bytes: stats.size,
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
    inode: stats.ino,
    device: stats.dev,
    settled: lookedAtMs - stats.ctimeMs > settleMs(stats),
  }
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return (
    a.changedMs === b.changedMs &&
    a.modifiedMs === b.modifiedMs &&
    a.bytes === b.bytes &&
    a.inode === b.inode &&
    a.device === b.device
  )
}

/** Compares content and permissions, not times. */
export function isSame(a: PathState, b: PathState): boolean {
  switch (a.kind) {
    case "file":
      return b.kind === "file" && isSameContent(a.hash, b.hash) && a.mode === b.mode
    case "link":
      return b.kind === "link" && a.target === b.target
    case "folder":
      return b.kind === "folder" && a.mode === b.mode
    case "uncovered":
      return b.kind === "uncovered" && isSameStamp(a.stamp, b.stamp)
    default:
      return b.kind === "absent"
  }
}

/**
 * Contents that are not read have a name in place of a digest: after `~`, of one that is not kept (an undo can remove
 * such a file, but not bring it back); after `=`, of one that the store keeps as a file of its own.
 *
 * It is made of what stays when the file is moved or linked, which also change the time of its last change.
 */
const nameOf = ({ bytes, inode, modifiedMs }: Stamp): string => `${bytes}-${inode}-${Math.round(modifiedMs * 1000)}`

export const ownFileHash = (hash: string): string => `=${hash.slice(1)}`

const isUnkept = (hash: string): boolean => hash.startsWith("~")
export const isOwnFile = (hash: string): boolean => hash.startsWith("=")
/** Whether it is known by name only. */
export const isNamed = (hash: string): boolean => isUnkept(hash) || isOwnFile(hash)

export const isSameContent = (a: string, b: string): boolean =>
  a === b || (isNamed(a) && isNamed(b) && a.slice(1) === b.slice(1))

/** Whether it can be restored, as far as the state tells. */
export const hasKeptContent = (state: PathState): boolean => state.kind === "file" && !isUnkept(state.hash)
export const hasUnkeptContent = (state: PathState): boolean => state.kind === "file" && isUnkept(state.hash)

/** The same content as before, and now it is kept. */
export const isKeptLate = (old: PathState | undefined, state: PathState): boolean =>
  old?.kind === "file" &&
  state.kind === "file" &&
  isUnkept(old.hash) &&
  !isUnkept(state.hash) &&
  nameOf(old.stamp) === nameOf(state.stamp)

/** Whether its bytes are among the contents of snapshots. */
export const hasReadContent = (state: PathState): boolean => state.kind === "file" && !isNamed(state.hash)

/** For a file that is not read: what is known of its content while it looks the same, or else a name. */
export const unreadHash = (old: PathState | undefined, stamp: Stamp): string =>
  old?.kind === "file" && nameOf(old.stamp) === nameOf(stamp) ? old.hash : `~${nameOf(stamp)}`

/** Whether two states of a file differ in when it was last modified, which programs can set. */
export const isSameTime = (a: PathState, b: PathState): boolean =>
  a.kind !== "file" || b.kind !== "file" || a.stamp.modifiedMs === b.stamp.modifiedMs

export const permissions = (mode: number): number => mode & 0o7777

/** Times in whole seconds reveal a file system that counts in them, where a change stays hidden for longer. */
function settleMs({ mtimeMs, ctimeMs }: Stats): number {
  return mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0 ? 2500 : 100
}
