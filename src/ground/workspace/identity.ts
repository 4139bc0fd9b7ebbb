/** Which file, in which state: equal identities mean the same file with (almost certainly) the same content. */

import type { BigIntStats } from "node:fs"

export interface Identity {
  readonly device: bigint
  readonly inode: bigint
  readonly bytes: number
  readonly modifiedNs: bigint
  /** When the file or its permissions last changed; programs cannot set it back. */
  readonly changedNs: bigint
}

export function identityOf(stats: BigIntStats): Identity {
  return {
    device: stats.dev,
    inode: stats.ino,
    bytes: Number(stats.size),
    modifiedNs: stats.mtimeNs,
    changedNs: stats.ctimeNs,
  }
}

export function isSameState(a: Identity, b: Identity): boolean {
  return (
    a.inode === b.inode &&
    a.device === b.device &&
    a.bytes === b.bytes &&
    a.modifiedNs === b.modifiedNs &&
    a.changedNs === b.changedNs
  )
}

/**
 * Whether the state was already old when it was read. A change right afterwards can carry the same time stamps, so a
 * young identity proves nothing.
 */
export function wasSettled(identity: Identity, lookedAtMs: number, settleMs = 100): boolean {
  return lookedAtMs - Number(identity.changedNs) / 1e6 > settleMs
}
