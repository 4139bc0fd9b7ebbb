/** How much snapshots may cost. */

export interface SnapshotLimits {
  /** Paths below the roots that are looked at; beyond them only files that are named beforehand are covered. */
  readonly paths: number
  /** How long a look at the tree may take. */
  readonly walkMs: number
  /** Larger files are not covered. */
  readonly fileBytes: number
  /** What all covered files may come to; the largest are left out first. */
  readonly totalBytes: number
  /** Files in a folder that tools fill (`node_modules` and the like); one with more is not covered. */
  readonly toolFiles: number
  /** What the files of such a folder may come to. */
  readonly toolBytes: number
  /** What the store may come to on disk. */
  readonly storeBytes: number
}

export const defaultLimits: SnapshotLimits = {
  paths: 20_000,
  walkMs: 2000,
  fileBytes: 10_000_000,
  totalBytes: 500_000_000,
  toolFiles: 500,
  toolBytes: 20_000_000,
  storeBytes: 2_000_000_000,
}

/** Folders that tools fill and can fill again. */
export const toolFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  ".venv",
  "venv",
  "__pycache__",
  ".tox",
  ".nox",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".gradle",
  ".m2",
  ".next",
  ".nuxt",
  ".svelte-kit",
  ".turbo",
  ".parcel-cache",
  ".cache",
  ".yarn",
  ".pnpm-store",
  "Pods",
  "DerivedData",
  ".terraform",
  ".stack-work",
  ".dart_tool",
  ".hg",
  ".svn",
  ".jj",
])
