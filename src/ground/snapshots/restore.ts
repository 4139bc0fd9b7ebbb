/**
 * Carries out a restore plan. Every content is staged on disk before the first file changes; each file then changes
 * in one step, if it is still as it was when the plan was made. An interrupted restore is simply planned and run
 * again: what is done is already right, and the rest is as it was.
 */

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { sync } from "./pack.ts"
import { pause } from "./pause.ts"
import { inFolder, makeFolder, MovedError, setMode } from "./pinned-folder.ts"
import type { RestorePlan, RestoreStep } from "./plan-restore.ts"
import { isSameStamp, type PathState, type Stamp } from "./state.ts"
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
  readonly token: string
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
  const linked = linkedStamps(plan.steps)
  const steps = plan.steps.filter(({ path, from }) => {
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
    if (attempt(step.path, () => putInPlace(step, temporary, parts.clock, linked))) written.push(step.path)
    else dropTemporary(temporary)
  for (const folder of new Set(staged.value.map(({ temporary }) => dirname(temporary))))
    if (isStaging(folder)) dropTemporary(folder)
  for (const { path, to } of steps.filter(isModeOnly))
    if (attempt(path, () => setMode(path, modeOf(to), "file", timeOf(to)))) written.push(path)
  for (const { path, to } of deepestFirst([...folders, ...modes]))
    if (!kept.has(path)) attempt(path, () => setMode(path, modeOf(to), "folder"))
  return ok({ written, removed, kept })
}

const changedMeanwhile = "it changed meanwhile"

const isModeOnly = ({ from, to }: RestoreStep): boolean =>
  from.kind === "file" && to.kind === "file" && from.hash === to.hash
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
  { content }: RestoreParts,
  isMany: boolean,
): Promise<SnapshotFailure | undefined> {
  const { to, path } = step
  if (to.kind === "link") {
    inFolder(dirname(temporary), ({ at }) => symlinkSync(to.target, at(basename(temporary))))
    return undefined
  }
  if (to.kind !== "file") return undefined
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

/** Nothing is awaited between the last check and the rename. */
function putInPlace({ path, from, to }: RestoreStep, temporary: string, clock: Clock, linked: LinkedStamps): void {
  // What stood in the way has been removed by now.
  const expected: PathState = (from.kind === "folder") === (to.kind === "folder") ? from : { kind: "absent" }
  if (!isStill(path, expected, clock, linked)) throw new Error(changedMeanwhile)
  makeFolder(dirname(path), undefined)
  inFolder(dirname(temporary), (source) =>
    inFolder(dirname(path), (target) => renameSync(source.at(basename(temporary)), target.at(basename(path)))),
  )
}

/** Files that have several of the names to be restored: removing one name is a change of the file at the others. */
type LinkedStamps = ReadonlySet<string>

const stampKey = ({ inode, device }: Stamp): string => `${device}:${inode}`

function linkedStamps(steps: readonly RestoreStep[]): LinkedStamps {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { from } of steps) {
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
