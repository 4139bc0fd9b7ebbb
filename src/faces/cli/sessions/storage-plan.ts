/**
 * What the clean-up removes: first by age, then, if the rest is too much, by size. `sessions du` shows it and the daily
 * clean-up does it, so that both say the same. Nothing of an open session is ever in it.
 */

import { isSchedule } from "#fleet/background/schedules.ts"
import type { Settings } from "#ground/settings/settings.ts"
import { bytesOf, type SessionUse, type StorageKind, type StorageUse, type StoredFile } from "./storage-use.ts"

export interface StorageLimits {
  readonly days: number
  /** 0: no limit. */
  readonly totalBytes: number
  readonly now: number
}

export interface StoragePlan {
  /** Nobody has touched them for long. */
  readonly sessions: readonly SessionUse[]
  readonly files: readonly StoredFile[]
  /** The state folder is too large: what can be made again, then outputs, then snapshots, of the oldest sessions first. */
  readonly caches: readonly StoredFile[]
  readonly outputs: readonly SessionUse[]
  readonly snapshots: readonly SessionUse[]
  readonly bytes: number
  /** What is too much even after that. */
  readonly over: number
}

const defaultTotalMb = 20 * 1024

export const storageLimits = (
  { cleanupPeriodDays: days, storage }: Pick<Settings, "cleanupPeriodDays" | "storage">,
  now: number,
): StorageLimits => ({ days, totalBytes: (storage?.totalMb ?? defaultTotalMb) * 1024 * 1024, now })

const dayMs = 24 * 60 * 60 * 1000

/** Their age tells that nobody needs them, except plans that a conversation names, and schedules. */
const removedByAge: readonly StorageKind[] = ["logs", "background", "plans"]

/** Left as they are, and not counted: work of users, and what they installed. */
const uncounted: readonly StorageKind[] = ["worktrees", "other"]

export function storagePlan(use: StorageUse, { days, totalBytes, now }: StorageLimits): StoragePlan {
  const isOld = ({ changed }: { readonly changed: number }): boolean => days >= 1 && changed <= now - days * dayMs
  const closed = use.sessions.filter(({ isOpen }) => !isOpen).toSorted((a, b) => a.changed - b.changed)
  const sessions = closed.filter(isOld)
  const open = use.sessions.flatMap(({ id, isOpen }) => (isOpen ? [id] : []))
  const isNeeded = ({ path }: StoredFile): boolean =>
    isSchedule(path) || open.some((id) => path.includes(id)) || use.namedPlans.has(path)
  const files = removedByAge.flatMap((kind) => use.files[kind].filter((file) => isOld(file) && !isNeeded(file)))
  const byAge = sum(sessions.map(bytesOf)) + sum(files.map(({ bytes }) => bytes))
  const counted = sum(use.kinds.flatMap(({ kind, bytes }) => (uncounted.includes(kind) ? [] : [bytes])))
  let over = totalBytes > 0 ? counted - byAge - totalBytes : 0

  function enough<T>(from: readonly T[], sizeOf: (one: T) => number): readonly T[] {
    const taken: T[] = []
    for (const one of from) {
      if (over <= 0) break
      if (sizeOf(one) === 0) continue
      taken.push(one)
      over -= sizeOf(one)
    }
    return taken
  }

  const kept = closed.filter((session) => session.hasLog && !isOld(session))
  const caches = enough(use.files.caches.filter(isRemovable), ({ bytes }) => bytes)
  const outputs = enough(kept, (session) => session.outputs)
  const snapshots = enough(kept, (session) => session.snapshots)
  return {
    sessions,
    files,
    caches,
    outputs,
    snapshots,
    bytes:
      byAge +
      sum(caches.map(({ bytes }) => bytes)) +
      sum(outputs.map((session) => session.outputs)) +
      sum(snapshots.map((session) => session.snapshots)),
    over: Math.max(0, over),
  }
}

/** Not the programs that are unpacked there, which may be running, nor marks. */
const isRemovable = ({ path }: StoredFile): boolean =>
  /\/(?:extension-lists|mcp-tools)\/|\/sessions\.sqlite$/.test(path)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
