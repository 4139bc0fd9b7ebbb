/** Whether the time stamps of a file or folder, seen now, will tell of every later change to it. */

import { statfsSync } from "node:fs"
import { type Identity, wasSettled } from "./identity.ts"

/** What a decision about permissions rests on must be beyond doubt: only then it may be kept for the next one. */
export function willTell(path: string, identity: Identity, lookedAtMs: number): boolean {
  return wasSettled(identity, lookedAtMs, settleMs) && keepsTime(path)
}

/** Some file systems count whole seconds, or two of them: two changes within that time look like one. */
const settleMs = 3000

/**
 * The file systems of Linux that are known to stamp every change: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS and
 * bcachefs. Those of the kernel itself and those of other machines are always asked again.
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
