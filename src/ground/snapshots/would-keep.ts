/** Whether a snapshot would contain everything at some paths: asked before they are removed. */

import { lstatSync, realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { pseudoBelow } from "#lib/pseudo-mounts.ts"
import { defaultLimits, type SnapshotLimits } from "./limits.ts"
import { meetsExcluded, nothingExcluded } from "./exclusions.ts"
import { readMounts } from "./mounts.ts"
import { isBelowOne } from "./tree.ts"
import { type FoundPath, inspectPath, walk } from "./walk.ts"

export interface KeepOptions {
  readonly roots: readonly string[]
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limits?: SnapshotLimits
  /** Folders that a setting excludes from undo. */
  readonly exclusions?: readonly string[]
  /**
   * What is removed is recorded while it happens: only it is looked at, however much else there is. On the file system of
   * the journal it is linked, at any size; elsewhere it is copied.
   */
  readonly recorded?: { readonly stateFolder: string }
}

/** `unknown` if there is too much to look at. */
export type WouldKeep = "kept" | "lost" | "unknown"

/** The user is waiting for the answer: so many paths are looked at. */
const mostLookedAt = 100_000

export async function wouldKeep(paths: readonly string[], options: KeepOptions): Promise<WouldKeep> {
  const { clock, signal, limits = defaultLimits, exclusions = [] } = options
  const roots = options.roots.map(real)
  const wanted = paths.map(withRealParent)
  if (wanted.some((path) => !isBelowOne(path, roots) || path.split("/").includes(".git"))) return "lost"
  if (wanted.some((path) => meetsExcluded(path, exclusions))) return "lost"
  if (options.recorded) return wouldRecord(wanted, options, deviceOf(options.recorded.stateFolder))
  const excluded = new Set(pseudoBelow("/", readMounts()))
  const walked = { roots, excluded, exclusions: nothingExcluded, skipped: new Map(), clock, signal }
  const { found, unread, end } = await walk({ ...walked, limits })
  if (end !== "whole") return "unknown"
  const isTooMuch = sum([...found.values()].map(bytesOf)) > limits.totalBytes
  const isKept = (path: string): boolean => {
    const inside = [...found].filter(([at]) => at === path || at.startsWith(`${path}/`))
    // Nothing is seen below a folder that is left out.
    const isLeftOut = [...found].some(([at, { kind }]) => kind === "uncovered" && path.startsWith(`${at}/`))
    const isWhole = inside.every(
      ([at, each]) => isHeld(each, limits) && !unread.includes(at) && !isRepository(at, each),
    )
    return !isLeftOut && isWhole
  }
  if (!wanted.every(isKept)) return "lost"
  return isTooMuch ? "unknown" : "kept"
}

/** Only what is removed counts: a large file in it that cannot be linked, or the data of git. */
async function wouldRecord(
  wanted: readonly string[],
  options: KeepOptions,
  device: number | undefined,
): Promise<WouldKeep> {
  const { clock, signal, limits = defaultLimits } = options
  const seen = wanted.map((path) => ({ path, found: inspectPath(path, clock.now()) }))
  const roots = seen.flatMap(({ path, found }) => (found?.kind === "folder" ? [path] : []))
  const most = { ...limits, paths: mostLookedAt, toolFiles: Infinity, toolBytes: Infinity }
  const { found, unread, end } = await walk({
    roots,
    excluded: new Set(pseudoBelow("/", readMounts())),
    exclusions: nothingExcluded,
    skipped: new Map(),
    limits: most,
    clock,
    signal,
  })
  const all = [...found, ...seen.flatMap(({ path, found: one }) => (one ? [[path, one] as const] : []))]
  const isSaved = (one: FoundPath): boolean =>
    one.kind === "file" ? one.stamp.device === device || one.stamp.bytes <= limits.copiedBytes : isHeld(one, limits)
  if (unread.length > 0 || !all.every(([path, one]) => isSaved(one) && !isRepository(path, one))) return "lost"
  return end === "whole" ? "kept" : "unknown"
}

const isHeld = (found: FoundPath, limits: SnapshotLimits): boolean =>
  found.kind === "file" ? found.stamp.bytes <= limits.fileBytes : found.kind !== "uncovered"

const deviceOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.dev

/** Git's own data is in no snapshot. */
const isRepository = (path: string, { kind }: FoundPath): boolean =>
  kind === "folder" && lstatSync(join(path, ".git"), { throwIfNoEntry: false }) !== undefined

const bytesOf = (found: FoundPath): number => (found.kind === "file" ? found.stamp.bytes : 0)
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** A link is removed itself, not its target. */
const withRealParent = (path: string): string => join(real(dirname(path)), basename(path))
