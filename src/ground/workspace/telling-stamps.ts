/** Whether the time stamps of a file or folder, read now, will reveal every later change to it. */

import { statfsSync } from "node:fs"
import { type Identity, wasSettled } from "./identity.ts"

/** Permission decisions must rest on facts beyond doubt: only then may they be cached. */
export function willTell(path: string, identity: Identity, lookedAtMs: number): boolean {
  return wasSettled(identity, lookedAtMs, settleMs) && keepsTime(path)
}

/** Some file systems count in whole seconds, or two of them: two changes within that time look like one. */
const settleMs = 3000

/**
 * Linux file systems known to stamp every change: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS and bcachefs. Virtual and
 * network file systems are always read again.
 */
const timekeepers: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
])

function keepsTime(path: string): boolean {
  if (process.platform !== "linux") return false
  try {
    return timekeepers.has(statfsSync(path).type >>> 0)
  } catch {
    return false
  }
}
