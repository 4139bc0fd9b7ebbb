/** How much snapshots may cost. */

import { generatedFolders } from "#lib/generated-folders.ts"

export interface SnapshotLimits {
  /** Paths scanned below the roots; beyond them only files named beforehand are covered. */
  readonly paths: number
  /** For a scan that nobody waits for. */
  readonly walkMs: number
  /** For a scan around a call: cut short, it would leave what the call changes without undo. */
  readonly patientMs: number
  /** Larger files are not read: a scan does not cover them, and what commands change is kept as files. */
  readonly fileBytes: number
  /** A larger file is not copied before a command writes to it, where copies share no blocks. */
  readonly copiedBytes: number
  /** Total of all files that are read; the largest are left out first. */
  readonly totalBytes: number
  /** Files in a generated folder (`node_modules` and the like); one with more is not covered. */
  readonly toolFiles: number
  readonly toolBytes: number
  readonly storeBytes: number
}

export const defaultLimits: SnapshotLimits = {
  paths: 20_000,
  walkMs: 2000,
  patientMs: 20_000,
  fileBytes: 10_000_000,
  copiedBytes: 1_000_000_000,
  totalBytes: 500_000_000,
  toolFiles: 500,
  toolBytes: 20_000_000,
  storeBytes: 2_000_000_000,
}

/** Besides generated folders, those of package managers that keep what they fetched, and of other version control. */
export const toolFolders: ReadonlySet<string> = new Set([
  ...generatedFolders,
  "jspm_packages",
  ".m2",
  ".yarn",
  "Pods",
  ".stack-work",
  ".hg",
  ".svn",
  ".jj",
])
