/**
 * Plans a restore from three states of each path: at the checkpoint, now, and as an agent last left it. What is not
 * as an agent left it was changed by someone else, and is kept.
 */

import { dirname } from "node:path"
import { liesIn } from "#lib/lies-in.ts"
import { excludedWhy } from "./exclusions.ts"
import { stateIn, type SnapshotTree } from "./tree.ts"
import { defaultLimits } from "./limits.ts"
import { absent, hasKeptContent, isKeptLate, isSame, isSameContent, isSameTime, type PathState } from "./state.ts"
import { tooLarge } from "./steady-read.ts"

export interface RestoreStep {
  readonly path: string
  readonly from: PathState
  readonly to: PathState
}

export interface RestorePlan {
  /** Differs from the checkpoint and is restored. */
  readonly steps: readonly RestoreStep[]
  /** Changed by someone else since, or in the way of such a change: kept. */
  readonly conflicts: readonly RestoreStep[]
  readonly uncovered: ReadonlyMap<string, string>
}

export interface RestoreQuestion {
  readonly target: SnapshotTree
  readonly now: SnapshotTree
  /** Each path as an agent last left it. */
  readonly written: ReadonlyMap<string, PathState>
  readonly force: boolean
  /** Whether a state can be restored. */
  readonly isKept: (state: PathState) => boolean
  /** The folder of a path that a setting excludes. */
  readonly excludedAt?: (path: string) => string | undefined
}

export function planRestore(question: RestoreQuestion): RestorePlan {
  const { target, now, written, force, isKept, excludedAt = () => undefined } = question
  const steps = new Map<string, RestoreStep>()
  const conflicts = new Map<string, RestoreStep>()
  const uncovered = new Map<string, string>()
  const folders = [...excludedFolders(target), ...excludedFolders(now)]
  // A scan of everything does not keep a time that changed alone, so the one it knows may be an older one.
  const hasTimes = !target.complete && !now.complete
  for (const path of new Set([...target.states.keys(), ...now.states.keys()])) {
    const to = stateIn(target, path)
    const from = stateIn(now, path)
    if (to === undefined || from === undefined) continue
    const folder = excludedAt(path) ?? folders.find((one) => liesIn(path, one))
    if (folder !== undefined) {
      // What is known of paths in it may be from another time.
      if (path === folder && !isSame(to, from)) uncovered.set(folder, excludedWhy)
      continue
    }
    if (isSame(to, from)) {
      if (hasTimes && hasOwnTime(to, from, written.get(path))) steps.set(path, { path, from, to })
      continue
    }
    const why = whyUncovered(to, from, isKept) ?? foldersLeftOut(path, target, now)
    if (why !== undefined) {
      uncovered.set(path, why)
      continue
    }
    const step = { path, from, to }
    const last = written.get(path)
    if (force || (last !== undefined && isAsLeft(last, from))) steps.set(path, step)
    // A folder is only the place of files: those speak for themselves.
    else if (to.kind !== "folder" && from.kind !== "folder") conflicts.set(path, step)
  }
  while (moveBlocked(steps, conflicts, now));
  return { steps: [...steps.values()], conflicts: [...conflicts.values()], uncovered }
}

/** Also those that are excluded no longer, or were not then. */
const excludedFolders = ({ states }: SnapshotTree): readonly string[] =>
  [...states].flatMap(([path, state]) => (state.kind === "uncovered" && state.why === excludedWhy ? [path] : []))

/** Keeping a content that was not kept before changes nothing. */
const isAsLeft = (last: PathState, from: PathState): boolean => isSame(last, from) || isKeptLate(last, from)

/** A time is only restored where an agent set it: others touch files without changing them all the time. */
const hasOwnTime = (to: PathState, from: PathState, last: PathState | undefined): boolean =>
  last !== undefined && !isSameTime(to, from) && isAsLeft(last, from) && isSameTime(last, from)

function whyUncovered(to: PathState, from: PathState, isKept: RestoreQuestion["isKept"]): string | undefined {
  if (to.kind === "uncovered") return to.why
  const isOnlyMode = to.kind === "file" && from.kind === "file" && isSameContent(to.hash, from.hash)
  if (to.kind === "file" && !isOnlyMode && !isKept(to)) return whyUnkept(to)
  return from.kind === "uncovered" ? from.why : undefined
}

function whyUnkept(to: PathState & { readonly kind: "file" }): string {
  if (hasKeptContent(to)) return "its content was changed since, by another name"
  const { bytes } = to.stamp
  return bytes > defaultLimits.fileBytes ? tooLarge(bytes) : "it was made by tools, and its content is not kept"
}

/** Below a folder that was left out at one of the two moments, nothing is known about that moment. */
function foldersLeftOut(path: string, ...trees: readonly SnapshotTree[]): string | undefined {
  for (const { states } of trees) {
    if (states.has(path)) continue
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
      const state = states.get(at)
      if (state?.kind === "uncovered") return state.why
    }
  }
  return undefined
}

/** Steps blocked by what is kept become conflicts themselves; true when there was one. */
function moveBlocked(steps: Map<string, RestoreStep>, conflicts: Map<string, RestoreStep>, now: SnapshotTree): boolean {
  const afterwards = (path: string): PathState => steps.get(path)?.to ?? now.states.get(path) ?? absent
  const blocked = [...steps.values()].filter(({ path, from, to }) => {
    if (to.kind !== "absent" && hasFileAbove(path, afterwards)) return true
    if (from.kind !== "folder" || to.kind === "folder" || to.kind === "absent") return false
    return now.states.keys().some((below) => below.startsWith(`${path}/`) && afterwards(below).kind !== "absent")
  })
  for (const step of blocked) {
    steps.delete(step.path)
    if (step.to.kind !== "folder") conflicts.set(step.path, step)
  }
  return blocked.length > 0
}

function hasFileAbove(path: string, afterwards: (path: string) => PathState): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const { kind } = afterwards(at)
    if (kind === "file" || kind === "link") return true
  }
  return false
}
