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
  lstatSync,
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
import { inFolder, makeFolder, MovedError, setMode } from "./pinned-folder.ts"
import type { RestorePlan, RestoreStep } from "./plan-restore.ts"
import { isSameStamp, type PathState } from "./state.ts"
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
      if (!isStill(path, from, parts.clock)) throw new Error(changedMeanwhile)
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
    if (attempt(step.path, () => putInPlace(step, temporary, parts.clock))) written.push(step.path)
    else dropTemporary(temporary)
  for (const { path, to } of steps.filter(isModeOnly))
    if (attempt(path, () => setMode(path, modeOf(to), "file"))) written.push(path)
  for (const { path, to } of deepestFirst([...folders, ...modes]))
    if (!kept.has(path)) attempt(path, () => setMode(path, modeOf(to), "folder"))
  return ok({ written, removed, kept })
}

const changedMeanwhile = "it changed meanwhile"

const isModeOnly = ({ from, to }: RestoreStep): boolean =>
  from.kind === "file" && to.kind === "file" && from.hash === to.hash
const needsContent = (step: RestoreStep): boolean =>
  (step.to.kind === "file" && !isModeOnly(step)) || step.to.kind === "link"

/** Contents are staged next to their target, or above it where the folder is missing; none, if one does not fit. */
async function stage(
  steps: readonly RestoreStep[],
  parts: RestoreParts,
): Promise<Result<readonly Staged[], SnapshotFailure>> {
  const staged = steps.map((step, i) => ({
    step,
    temporary: `${existingAbove(step.path)}/.codewright-${parts.token}-${i}.tmp`,
  }))
  parts.announce(staged.map(({ temporary }) => temporary))
  const drop = (): void => {
    for (const { temporary } of staged) dropTemporary(temporary)
  }
  try {
    for (let from = 0; from < staged.length; from += atOnce) {
      const failures = await Promise.all(staged.slice(from, from + atOnce).map((one) => stageOne(one, parts)))
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

async function stageOne({ step, temporary }: Staged, { content }: RestoreParts): Promise<SnapshotFailure | undefined> {
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
    await sync(fd)
    return undefined
  } catch (error) {
    return failureOf(error, path)
  } finally {
    closeSync(fd)
  }
}

/** Nothing is awaited between the last check and the rename. */
function putInPlace({ path, from, to }: RestoreStep, temporary: string, clock: Clock): void {
  // What stood in the way has been removed by now.
  const expected: PathState = (from.kind === "folder") === (to.kind === "folder") ? from : { kind: "absent" }
  if (!isStill(path, expected, clock)) throw new Error(changedMeanwhile)
  makeFolder(dirname(path), undefined)
  inFolder(dirname(temporary), (source) =>
    inFolder(dirname(path), (target) => renameSync(source.at(basename(temporary)), target.at(basename(path)))),
  )
}

function isStill(path: string, state: PathState, clock: Clock): boolean {
  const seen = inspectPath(path, clock.now())
  if (seen === undefined || state.kind === "absent") return seen === undefined && state.kind === "absent"
  switch (state.kind) {
    case "file":
      return seen.kind === "file" && seen.mode === state.mode && isSameStamp(seen.stamp, state.stamp)
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

function existingAbove(path: string): string {
  for (let at = dirname(path); ; at = dirname(at))
    if (at === dirname(at) || inspectPath(at, 0)?.kind === "folder") return at
}

/** Also for leftovers of a crash: only touches our own names. */
export function dropTemporary(path: string): void {
  if (!/^\.codewright-[\w-]+\.tmp$/.test(basename(path))) return
  try {
    inFolder(dirname(path), ({ at }) => unlinkSync(at(basename(path))))
  } catch {
    // It is gone already, or the folder is; either way nothing is left to remove.
  }
}

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
