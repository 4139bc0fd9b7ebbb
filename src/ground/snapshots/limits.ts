/** How much snapshots may cost: in paths and bytes, never in time, which on a busy machine says nothing. */

import { generatedFolders } from "#lib/generated-folders.ts"

export interface SnapshotLimits {
  /** Paths scanned below the roots; beyond them only files named beforehand are covered. */
  readonly paths: number
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
