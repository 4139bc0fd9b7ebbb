/** Takes snapshots: the whole tree, or only named files; each is the difference to the previous one. */

import { existsSync } from "node:fs"
import { dirname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { type Mount, pseudoBelow } from "#lib/pseudo-mounts.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isBelowOne, type Roots, type SnapshotTree } from "./tree.ts"
import type { SnapshotFailure } from "./failure.ts"
import type { Exclusions } from "./exclusions.ts"
import { type Keeping, openKeeper } from "./keep.ts"
import { type KnownTree, knownOf } from "./known.ts"
import { type SnapshotLimits, toolFolders } from "./limits.ts"
import type { Author } from "./manifest.ts"
import type { Touched } from "./journal.ts"
import { openNamedPaths } from "./named-paths.ts"
import { pause } from "./pause.ts"
import type { PathState, Stamp } from "./state.ts"
import type { Store } from "./store.ts"
import { openStoreRoom } from "./store-room.ts"
import { tooLarge } from "./steady-read.ts"
import { type FoundPath, ignoredNames, inspectPath, outOfSight, type Walk, walk } from "./walk.ts"

export interface Snapshot {
  readonly id: string
  /** Whether all of the roots was scanned; otherwise only files named before they changed are covered. */
  readonly complete: boolean
  /** Whether this scan covered everything, or only named files. */
  readonly scan: "whole" | "named"
  /** Why not everything was scanned, if it should have been. */
  readonly why?: string
  readonly uncovered: ReadonlyMap<string, string>
}

export interface SnapshotWriter {
  /** Everything below the roots. Returns the last snapshot when nothing differs from it. */
  readonly saveAll: (by: Author, signal: AbortSignal) => Promise<Result<Snapshot, SnapshotFailure>>
  /**
   * Only the given files. Real absolute paths; also outside the roots. `exact`: not the folders on the way to them, and a
   * new time alone is a change. `restored`: what they were just restored to.
   */
  readonly save: (
    paths: readonly string[],
    by: Author,
    signal: AbortSignal,
    how?: "exact",
    restored?: ReadonlyMap<string, PathState>,
  ) => Promise<Result<Snapshot, SnapshotFailure>>
  /** Paths as a recorder found them before they were changed. What is not as known was changed by someone else. */
  readonly saveTouched: (touched: readonly Touched[], signal: AbortSignal) => Promise<Result<Snapshot, SnapshotFailure>>
  /** The next snapshot will be the difference to this earlier one. */
  readonly continueFrom: (id: string) => Result<void, SnapshotFailure>
  /** Everything as of the last snapshot; do not keep it, it is changed in place. */
  readonly now: () => SnapshotTree
  readonly lastId: () => string | null
  /** After a clean-up: contents may be gone. */
  readonly recount: () => void
}

export interface SnapshotWriterParts {
  readonly store: Store
  readonly roots: Roots
  readonly excluded: readonly string[]
  readonly exclusions: Exclusions
  readonly mounts: readonly Mount[]
  readonly limits: SnapshotLimits
  readonly clock: Clock
  readonly ids: Ids
  /** Tries to make the store smaller when it is full. */
  readonly makeRoom: () => Promise<unknown>
  /** Files that are not ignored, to choose what to cover in a project that is too large. */
  readonly listed?: (root: string, signal: AbortSignal) => Promise<readonly string[] | undefined>
}

export function openTaker(parts: SnapshotWriterParts): SnapshotWriter {
  const { store, limits, clock, exclusions } = parts
  const excluded = new Set([...parts.excluded, ...pseudoBelow("/", parts.mounts)])
  const skipped = new Map<string, string>()
  const namedPaths = openNamedPaths({ ...parts, roots: parts.roots.now })
  const walkFitting = openFitting(parts)
  const keeper = openKeeper(parts)
  const roomIn = openStoreRoom({ store, cap: limits.storeBytes, makeRoom: parts.makeRoom })
  let current = knownOf(null, { complete: false, roots: [], states: new Map() })
  /** Why the whole is not scanned any more. */
  let givenUp: string | undefined
  const fullStore = (): Promise<SnapshotFailure | undefined> => roomIn({ isDue: keeper.chain() % 20 === 0 })

  async function saveAll(by: Author, signal: AbortSignal): Promise<Result<Snapshot, SnapshotFailure>> {
    if (givenUp !== undefined) return saveKnown(givenUp, by, signal)
    const { walked, roots } = await walkFitting({ excluded, exclusions, skipped, limits, clock, signal })
    if (walked.end === "aborted") return failed({ kind: "aborted" })
    if (walked.end === "too_many") {
      givenUp = projectTooLarge
      return saveKnown(givenUp, by, signal)
    }
    const full = await fullStore()
    if (full) return failed(full)
    const isFirst = !current.complete
    const base = isFirst ? (newestTree(roots) ?? current) : current
    const found: Map<string, FoundPath | undefined> = bounded(walked.found, limits)
    const ground = { ...walked, isKept: (path: string) => base.states.has(path), exclusions, clock }
    lookForUnmet(found, base.states.keys(), ground)
    if (base !== current) lookForUnmet(found, current.states.keys(), ground)
    // The first full scan compares with another session's state: those changes are not made in this one.
    return keep(base, found, {
      by: isFirst ? "person" : by,
      complete: true,
      roots,
      scan: "whole",
      signal,
    })
  }

  async function saveKnown(why: string, by: Author, signal: AbortSignal): Promise<Result<Snapshot, SnapshotFailure>> {
    const saved = await save([...current.states.keys()], by, signal)
    return saved.ok ? ok({ ...saved.value, why }) : saved
  }

  async function save(
    paths: readonly string[],
    by: Author,
    signal: AbortSignal,
    how?: "exact",
    restored?: ReadonlyMap<string, PathState>,
  ): Promise<Result<Snapshot, SnapshotFailure>> {
    const full = await fullStore()
    if (full) return failed(full)
    const named = how === "exact" ? paths : namedPaths(paths, current.states)
    const found = withExclusions(await inspected(named, clock), { ...parts, known: current.states })
    const { complete } = current
    return keep(current, found, {
      by,
      complete,
      roots: complete ? current.roots : parts.roots.now(),
      scan: "named",
      isExact: how === "exact",
      restored: restored && ((path) => restored.get(path)),
      isMade: how === "exact" ? madeByTools(parts.roots.now()) : undefined,
      signal,
    })
  }

  async function saveTouched(
    touched: readonly Touched[],
    signal: AbortSignal,
  ): Promise<Result<Snapshot, SnapshotFailure>> {
    const full = await fullStore()
    if (full) return failed(full)
    const covered = touched.filter(({ path }) => exclusions.holding(path) === undefined)
    const contents = new Map(covered.map(({ path, content }) => [path, content]))
    const found = new Map(covered.map(({ path, found: one }) => [path, one]))
    const isOwn = tooLargeToRead(found, limits)
    return keep(current, found, {
      by: "person",
      complete: current.complete,
      roots: current.complete ? current.roots : parts.roots.now(),
      scan: "named",
      savedAt: (path) => contents.get(path),
      isOwn: (path) => isOwn.has(path),
      isExact: true,
      signal,
    })
  }

  function newestTree(roots: readonly string[]): KnownTree | undefined {
    const newest = store.newest(roots)
    const tree = newest && keeper.from(newest.id)
    return tree?.ok ? tree.value : undefined
  }

  async function keep(
    base: KnownTree,
    found: ReadonlyMap<string, FoundPath | undefined>,
    { scan, ...keeping }: Keeping & Pick<Snapshot, "scan">,
  ): Promise<Result<Snapshot, SnapshotFailure>> {
    const kept = await keeper.keep(base, found, keeping)
    if (!kept.ok) return kept
    current = kept.value
    const { id, complete, uncovered } = current
    return ok({ id: id ?? "", complete, scan, uncovered })
  }

  return {
    saveAll,
    save,
    saveTouched,
    continueFrom(id) {
      const tree = keeper.from(id)
      if (!tree.ok) return tree
      current = tree.value
      return ok(undefined)
    },
    now: () => current,
    lastId: () => current.id,
    recount: () => void (current = knownOf(current.id, current)),
  }
}

type FoundPaths = ReadonlyMap<string, FoundPath | undefined>

/** Without what is in excluded folders, and with those themselves: so it is known what is not covered, and told. */
function withExclusions(
  found: FoundPaths,
  {
    exclusions,
    roots,
    known,
  }: Pick<SnapshotWriterParts, "exclusions" | "roots"> & { readonly known: ReadonlyMap<string, PathState> },
): FoundPaths {
  for (const [path, seen] of found) if (seen?.kind === "folder") exclusions.follow(path)
  const folders = exclusions.folders().filter((folder) => isBelowOne(folder, roots.now()))
  if (folders.length === 0) return found
  const covered = [...found].filter(([path]) => exclusions.holding(path) === undefined)
  const left = folders.flatMap((folder) => {
    const seen = exclusions.foundAt(folder)
    return seen !== undefined || known.has(folder) ? [[folder, seen] as const] : []
  })
  return new Map([...covered, ...left])
}

/** Files in folders that tools made, or that are ignored by a plain name. */
function madeByTools(roots: readonly string[]): (path: string) => boolean {
  const names = new Set([...toolFolders, ...roots.flatMap(ignoredNames)])
  return (path) => {
    const root = roots.find((one) => path.startsWith(`${one}/`))
    return (
      root !== undefined &&
      path
        .slice(root.length + 1)
        .split("/")
        .slice(0, -1)
        .some((name) => names.has(name))
    )
  }
}

const looksAtOnce = 400

async function inspected(paths: readonly string[], clock: Clock): Promise<ReadonlyMap<string, FoundPath | undefined>> {
  const found = new Map<string, FoundPath | undefined>()
  for (const [i, path] of paths.entries()) {
    if (i % looksAtOnce === looksAtOnce - 1) await pause()
    found.set(path, inspectPath(path, clock.now()))
  }
  return found
}

/** What a walk did not meet may be elsewhere, or in a folder that was left out. */
function lookForUnmet(
  found: Map<string, FoundPath | undefined>,
  known: Iterable<string>,
  ground: {
    readonly unread: readonly string[]
    readonly isKept: (path: string) => boolean
    readonly exclusions: Exclusions
    readonly clock: Clock
  },
): void {
  const isUnread = (path: string): boolean => ground.unread.some((folder) => path.startsWith(`${folder}/`))
  for (const path of known) {
    if (found.has(path)) continue
    // What is known of it is from before its folder was excluded.
    const folder = ground.exclusions.holding(path)
    if (folder !== undefined && folder !== path) continue
    const seen = isUnread(path) ? outOfSight : inspectPath(path, ground.clock.now())
    if (seen !== undefined || ground.isKept(path)) found.set(path, seen)
  }
}

/** Leaves the largest files out until the rest fits. */
function bounded(
  found: Map<string, FoundPath | undefined>,
  limits: SnapshotLimits,
): Map<string, FoundPath | undefined> {
  const fitting = new Map(found)
  for (const [path, stamp] of tooLargeToRead(found, limits))
    if (stamp.bytes <= limits.fileBytes) fitting.set(path, { kind: "uncovered", why: tooLarge(stamp.bytes), stamp })
  return fitting
}

/** Files over the limit, and the largest of the others until the rest fits. */
function tooLargeToRead(
  found: ReadonlyMap<string, FoundPath | undefined>,
  { totalBytes: most, fileBytes }: SnapshotLimits,
): ReadonlyMap<string, Stamp> {
  const files = [...found].flatMap(([path, seen]) => (seen?.kind === "file" ? [[path, seen.stamp] as const] : []))
  const large = new Map(files.filter(([, { bytes }]) => bytes > fileBytes))
  let total = files.reduce((sum, [path, { bytes }]) => (large.has(path) ? sum : sum + bytes), 0)
  if (total <= most) return large
  for (const [path, stamp] of files.sort(([, a], [, b]) => b.bytes - a.bytes)) {
    if (total <= most) break
    if (large.has(path)) continue
    total -= stamp.bytes
    large.set(path, stamp)
  }
  return large
}

interface Fitted {
  readonly walked: Walk
  readonly roots: readonly string[]
}

type FittingOptions = Omit<Parameters<typeof walk>[0], "roots"> & { readonly skipped: Map<string, string> }

/** Added folders that do not fit are left out, so that the others stay covered. */
function openFitting({
  roots,
  listed,
}: Pick<SnapshotWriterParts, "roots" | "listed">): (o: FittingOptions) => Promise<Fitted> {
  /** Whether there is less to scan now. */
  const leftOut = ({ end, at }: Walk): boolean => at !== undefined && end === "too_many" && roots.leaveOut(at, tooMany)

  return async (options) => {
    for (;;) {
      const now = roots.now()
      // With nothing to scan, only files that are named beforehand are covered.
      if (now.length === 0 || now.includes("/")) return { walked: nothingWalked, roots: now }
      const walked = await walkAll(listed, { ...options, roots: now }, roots.isOwn)
      if (leftOut(walked)) {
        options.skipped.clear()
        continue
      }
      const found = new Map(walked.found)
      for (const [root, why] of roots.leftOut) found.set(root, { ...outOfSight, why })
      return { walked: { ...walked, found }, roots: now }
    }
  }
}

const tooMany = "it has too many files"
const projectTooLarge = "the project has too many files"
const nothingWalked: Walk = { found: new Map(), unread: [], end: "too_many" }

/** In a project that is too large, only folders with files that are not ignored. */
async function walkAll(
  listed: SnapshotWriterParts["listed"],
  options: Parameters<typeof walk>[0] & { readonly skipped: Map<string, string> },
  isOwn: Roots["isOwn"],
): ReturnType<typeof walk> {
  const walked = await walk(options)
  if (walked.end !== "too_many" || !listed || walked.at === undefined) return walked
  // Listing the files of a home folder takes longer than anyone waits; a repository says what is ignored in it.
  if (!isOwn(walked.at) && !existsSync(`${walked.at}/.git`)) return walked
  const folders = await foldersOfListed(listed, options.roots, options.signal)
  if (folders === undefined) return walked
  options.skipped.clear()
  return walk({ ...options, mayEnter: (folder) => folders.has(folder) })
}

async function foldersOfListed(
  listed: NonNullable<SnapshotWriterParts["listed"]>,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const folders = new Set<string>()
  for (const root of roots) {
    const files = await listed(root, signal)
    if (files === undefined) return undefined
    for (const file of files)
      for (let at = dirname(file); at.length > root.length && !folders.has(at); at = dirname(at)) folders.add(at)
  }
  return folders
}
