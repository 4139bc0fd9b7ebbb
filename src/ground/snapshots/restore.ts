/**
 * Carries out a restore plan. Every content is staged on disk before the first file changes; each file then changes
 * in one step, if it is still as it was when the plan was made. An interrupted restore is simply planned and run
 * again: what is done is already right, and the rest is as it was.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { copyFile } from "node:fs/promises"
import { basename, dirname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { excludedWhy } from "./exclusions.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { sync } from "./pack.ts"
import { pause } from "./pause.ts"
import { inFolder, makeFolder, MovedError, setMode } from "./pinned-folder.ts"
import type { OwnFile, OwnFiles } from "./own-files.ts"
import type { RestorePlan, RestoreStep } from "./plan-restore.ts"
import { hasUnkeptContent, isNamed, isSameContent, isSameStamp, type PathState, type Stamp } from "./state.ts"
import { inspectPath } from "./walk.ts"
import { codeOf } from "#lib/error-code.ts"

export interface Restored {
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** Planned but left alone, because it changed in the meantime or the system refused, and why. */
  readonly kept: ReadonlyMap<string, string>
}

export interface RestoreParts {
  readonly content: (hash: string) => Result<Uint8Array, SnapshotFailure>
  readonly ownFiles: Pick<OwnFiles, "find" | "link">
  readonly token: string
  /** What a setting excludes from undo is left alone, whatever the plan says. */
  readonly isExcluded: (path: string) => boolean
  /** Called before temporary files are created, so that they can be removed after a crash. */
  readonly announce: (temporaries: readonly string[]) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface Staged {
  readonly step: RestoreStep
  readonly temporary: string
}

const atOnce = 32

export async function restore(plan: RestorePlan, parts: RestoreParts): Promise<Result<Restored, SnapshotFailure>> {
  const kept = new Map<string, string>()
  const written: string[] = []
  const removed: string[] = []
  const linked = linkedStamps(plan.steps, parts)
  const steps = plan.steps.filter(({ path, from }) => {
    if (parts.isExcluded(path)) {
      kept.set(path, excludedWhy)
      return false
    }
    const same = isStill(path, from, parts.clock)
    if (!same) kept.set(path, changedMeanwhile)
    return same
  })

  /** One synchronous step; if the system refuses, the path is kept. */
  const attempt = (path: string, act: () => void): boolean => {
    try {
      act()
      return true
    } catch (error) {
      kept.set(path, error instanceof MovedError ? "a link is on the way to it" : wordsOf(error))
      return false
    }
  }

  const modes = steps.filter(({ from, to }) => from.kind === "folder" && to.kind === "folder")
  for (const { path, to } of modes) attempt(path, () => setMode(path, modeOf(to) | 0o700, "folder"))
  const staged = await stage(steps.filter(needsContent), parts)
  if (!staged.ok) {
    for (const { path, from } of modes) attempt(path, () => setMode(path, modeOf(from), "folder"))
    return staged
  }

  for (const { path, from, to } of deepestFirst(steps)) {
    if (to.kind !== "absent" && (from.kind === "folder") === (to.kind === "folder")) continue
    if (from.kind === "absent" || (from.kind === "folder" && to.kind === "folder")) continue
    const done = attempt(path, () => {
      if (!isStill(path, from, parts.clock, linked)) throw new Error(changedMeanwhile)
      keepAside(path, from, parts)
      inFolder(dirname(path), ({ at }) =>
        from.kind === "folder" ? rmdirSync(at(basename(path))) : unlinkSync(at(basename(path))),
      )
    })
    // A folder in which someone else has put something stays, and that is no failure.
    if (from.kind === "folder" && to.kind === "absent") kept.delete(path)
    else if (done && to.kind === "absent") removed.push(path)
  }
  const folders = steps.filter(({ from, to }) => to.kind === "folder" && from.kind !== "folder")
  for (const { path } of folders.toSorted((a, b) => a.path.length - b.path.length))
    attempt(path, () => void makeFolder(path, undefined))
  for (const { step, temporary } of staged.value)
    if (attempt(step.path, () => putInPlace(step, temporary, parts, linked))) written.push(step.path)
    else dropTemporary(temporary)
  for (const folder of new Set(staged.value.map(({ temporary }) => dirname(temporary))))
    if (isStaging(folder)) dropTemporary(folder)
  for (const { step } of staged.value)
    if (step.to.kind === "file" && isNamed(step.to.hash) && !kept.has(step.path))
      attempt(step.path, () => setState(step))
  for (const { path, to } of steps.filter(isModeOnly))
    if (attempt(path, () => setMode(path, modeOf(to), "file", timeOf(to)))) written.push(path)
  for (const { path, to } of deepestFirst([...folders, ...modes]))
    if (!kept.has(path)) attempt(path, () => setMode(path, modeOf(to), "folder"))
  return ok({ written, removed, kept })
}

const changedMeanwhile = "it changed meanwhile"

const isModeOnly = ({ from, to }: RestoreStep): boolean =>
  from.kind === "file" && to.kind === "file" && isSameContent(from.hash, to.hash)
const needsContent = (step: RestoreStep): boolean =>
  (step.to.kind === "file" && !isModeOnly(step)) || step.to.kind === "link"

/**
 * Contents are staged next to their target, or in a folder above it where its own is missing; none, if one does not fit.
 * Many names would leave a folder of the project large for good, on file systems whose folders never shrink.
 */
async function stage(
  steps: readonly RestoreStep[],
  parts: RestoreParts,
): Promise<Result<readonly Staged[], SnapshotFailure>> {
  const above = existingFolders()
  const staged = steps.map((step, i) => {
    const folder = above(dirname(step.path))
    const name = `.codewright-${parts.token}-${i}.tmp`
    const isOwn = folder === dirname(step.path)
    return { step, temporary: isOwn ? `${folder}/${name}` : `${folder}/${stagingName(parts.token)}/${name}` }
  })
  const folders = new Set(staged.map(({ temporary }) => dirname(temporary)).filter(isStaging))
  parts.announce([...staged.map(({ temporary }) => temporary), ...folders])
  const drop = (): void => {
    for (const { temporary } of staged) dropTemporary(temporary)
    for (const folder of folders) dropTemporary(folder)
  }
  try {
    for (const folder of folders) inFolder(dirname(folder), ({ at }) => mkdirSync(at(basename(folder)), 0o700))
    const isMany = staged.length > mostSynced
    for (let from = 0; from < staged.length; from += atOnce) {
      if (isMany) await pause()
      const failures = await Promise.all(staged.slice(from, from + atOnce).map((one) => stageOne(one, parts, isMany)))
      const failure = failures.find((one) => one !== undefined) ?? (parts.signal.aborted ? aborted : undefined)
      if (failure === undefined) continue
      drop()
      return failed(failure)
    }
    return ok(staged)
  } catch (error) {
    drop()
    return failed(failureOf(error, steps[0]?.path ?? ""))
  }
}

const aborted: SnapshotFailure = { kind: "aborted" }

/** So many are on the disk before the first file changes. Waiting for more of them would take longer than all the rest. */
const mostSynced = 100

async function stageOne(
  { step, temporary }: Staged,
  { content, ownFiles }: RestoreParts,
  isMany: boolean,
): Promise<SnapshotFailure | undefined> {
  const { to, path } = step
  if (to.kind === "link") {
    inFolder(dirname(temporary), ({ at }) => symlinkSync(to.target, at(basename(temporary))))
    return undefined
  }
  if (to.kind !== "file") return undefined
  if (isNamed(to.hash)) return stageOwn(ownFiles.find(to.hash, to.stamp), temporary, path)
  const bytes = content(to.hash)
  if (!bytes.ok) return bytes.failure
  const fd = inFolder(dirname(temporary), ({ at }) => openSync(at(basename(temporary)), "wx", 0o600))
  try {
    for (let done = 0; done < bytes.value.length;) done += writeSync(fd, bytes.value, done)
    keepOwner(fd, path)
    fchmodSync(fd, to.mode)
    futimesSync(fd, to.stamp.modifiedMs / 1000, to.stamp.modifiedMs / 1000)
    if (!isMany) await sync(fd)
    return undefined
  } catch (error) {
    return failureOf(error, path)
  } finally {
    closeSync(fd)
  }
}

/** Its permissions and time follow at the end: the file may be at another name still. */
async function stageOwn(
  own: OwnFile | undefined,
  temporary: string,
  path: string,
): Promise<SnapshotFailure | undefined> {
  if (own === undefined) return { kind: "missing", id: path }
  try {
    if (!own.isLent && isLinked(own.path, temporary)) return undefined
    await copyFile(own.path, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return undefined
  } catch (error) {
    return failureOf(error, path)
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    inFolder(dirname(to), ({ at }) => linkSync(from, at(basename(to))))
    return true
  } catch {
    // It is on another file system, or there are no links.
    return false
  }
}

/** Nothing is awaited between the last check and the rename. */
function putInPlace(
  { path, from, to }: RestoreStep,
  temporary: string,
  parts: RestoreParts,
  linked: LinkedStamps,
): void {
  // What stood in the way has been removed by now.
  const expected: PathState = (from.kind === "folder") === (to.kind === "folder") ? from : { kind: "absent" }
  if (!isStill(path, expected, parts.clock, linked)) throw new Error(changedMeanwhile)
  keepAside(path, expected, parts)
  makeFolder(dirname(path), undefined)
  inFolder(dirname(temporary), (source) =>
    inFolder(dirname(path), (target) => renameSync(source.at(basename(temporary)), target.at(basename(path)))),
  )
  // Where both are links of one file, renaming does nothing.
  if (to.kind === "file" && isNamed(to.hash)) dropTemporary(temporary)
}

/** A content that is in no snapshot stays as a file, so that a redo has it. */
function keepAside(path: string, from: PathState, { ownFiles }: RestoreParts): void {
  if (from.kind !== "file" || !hasUnkeptContent(from)) return
  inFolder(dirname(path), ({ at }) => ownFiles.link(from.hash, at(basename(path))))
}

/** Files that have several of the names to be restored: removing one name is a change of the file at the others. */
type LinkedStamps = ReadonlySet<string>

const stampKey = ({ inode, device }: Stamp): string => `${device}:${inode}`

function linkedStamps(steps: readonly RestoreStep[], { ownFiles }: RestoreParts): LinkedStamps {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { from, to } of steps) {
    // A file that the store has a link of may be at another name now.
    const own = to.kind === "file" && isNamed(to.hash) ? ownFiles.find(to.hash, to.stamp) : undefined
    const stats = own && lstatSync(own.path, { throwIfNoEntry: false })
    if (stats) twice.add(`${stats.dev}:${stats.ino}`)
    if (from.kind !== "file") continue
    const key = stampKey(from.stamp)
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return twice
}

const isSameFile = (a: Stamp, b: Stamp, linked: LinkedStamps): boolean =>
  isSameStamp(a, linked.has(stampKey(b)) ? { ...b, changedMs: a.changedMs } : b)

const unlinked: LinkedStamps = new Set()

function isStill(path: string, state: PathState, clock: Clock, linked: LinkedStamps = unlinked): boolean {
  const seen = inspectPath(path, clock.now())
  if (seen === undefined || state.kind === "absent") return seen === undefined && state.kind === "absent"
  switch (state.kind) {
    case "file":
      return seen.kind === "file" && seen.mode === state.mode && isSameFile(seen.stamp, state.stamp, linked)
    case "link":
      return seen.kind === "link" && seen.target === state.target
    default:
      return seen.kind === state.kind
  }
}

function keepOwner(fd: number, path: string): void {
  try {
    const old = lstatSync(path)
    const own = fstatSync(fd)
    if (old.uid !== own.uid || old.gid !== own.gid) fchownSync(fd, old.uid, old.gid)
  } catch {
    // Either there is none yet, or only root may change owners and the file becomes ours, as with any editor that
    // saves this way.
  }
}

/** The folder itself, or the nearest above it that is there. */
function existingFolders(): (folder: string) => string {
  const known = new Map<string, string>()
  const isThere = (folder: string): boolean => folder === dirname(folder) || inspectPath(folder, 0)?.kind === "folder"
  function find(folder: string): string {
    const found = known.get(folder) ?? (isThere(folder) ? folder : find(dirname(folder)))
    known.set(folder, found)
    return found
  }
  return find
}

const stagingName = (token: string): string => `.codewright-${token}.tmp`
const isStaging = (folder: string): boolean => basename(folder).startsWith(".codewright-") && folder.endsWith(".tmp")

/** Also for leftovers of a crash: only touches our own names. */
export function dropTemporary(path: string): void {
  if (!/^\.codewright-[\w-]+\.tmp$/.test(basename(path))) return
  try {
    inFolder(dirname(path), ({ at }) => {
      const own = at(basename(path))
      if (lstatSync(own).isDirectory()) rmdirSync(own)
      else unlinkSync(own)
    })
  } catch {
    // It is gone already, or the folder is; either way nothing is left to remove.
  }
}

const setState = ({ path, to }: RestoreStep): void => setMode(path, modeOf(to), "file", timeOf(to))
const timeOf = (state: PathState): number | undefined => (state.kind === "file" ? state.stamp.modifiedMs : undefined)
const modeOf = (state: PathState): number => (state.kind === "file" || state.kind === "folder" ? state.mode : 0o777)
const deepestFirst = (steps: readonly RestoreStep[]): RestoreStep[] =>
  steps.toSorted((a, b) => b.path.length - a.path.length)

function wordsOf(error: unknown): string {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "the system does not permit it"
    case "ENOTEMPTY":
    case "EEXIST":
      return "something is in its place"
    default:
      return error instanceof Error ? error.message : String(error)
  }
}
