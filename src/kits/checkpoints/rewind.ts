/** Restores files to a moment, and previews that. */

import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import { type SnapshotFailure, sayFailure } from "#ground/snapshots/failure.ts"
import { planRestore, type RestorePlan } from "#ground/snapshots/plan-restore.ts"
import { isSame, type PathState } from "#ground/snapshots/state.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import type { Snapshot } from "#ground/snapshots/snapshot-writer.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { RewindPreview } from "./checkpoints.ts"
import { agentChanges, lastWritten, treeOf } from "./history.ts"
import { filesOf } from "./report.ts"

export interface RewindGround {
  readonly snapshots: Snapshots
  readonly show: (path: string) => string
  readonly now: () => Promise<Result<Snapshot, SnapshotFailure>>
  /** A log that was read before, with the snapshots recorded since. */
  readonly upToDate: (log: readonly Entry[]) => readonly Entry[]
}

export interface Goal {
  readonly log: readonly Entry[]
  readonly snapshotId: string
  readonly force: boolean
  readonly signal: AbortSignal
}

export async function previewRewind(goal: Goal, ground: RewindGround): Promise<Result<RewindPreview, string>> {
  const now = await ground.now()
  if (!now.ok) return said(now.failure)
  const plan = planFor(goal, ground, now.value.id)
  if (!plan.ok) return said(plan.failure)
  const { show } = ground
  const { steps, conflicts, uncovered } = plan.value
  const files = await filesOf(changesOf(steps), ground)
  if (!files.ok) return said(files.failure)
  return ok({
    files: files.value,
    conflicts: conflicts.map(({ path }) => show(path)),
    uncovered: Array.from(uncovered, ([path, why]) => `${show(path)} (${why})`),
  })
}

export interface RestoreMoments {
  /** Gets the snapshot of the state before, and is awaited before anything changes. */
  readonly begun: (before: Snapshot) => Promise<void>
  /** Gets what each path was restored to; returns the snapshot of the state after. */
  readonly done: (restored: ReadonlyMap<string, PathState>) => Promise<Result<Snapshot, SnapshotFailure>>
}

export async function carryOutRewind(
  goal: Goal,
  ground: RewindGround & RestoreMoments,
): Promise<Result<FilesRestored, string>> {
  const now = await ground.now()
  if (!now.ok)
    return failed(`Nothing was changed, because the present state could not be kept: ${sayFailure(now.failure)}.`)
  const plan = planFor(goal, ground, now.value.id)
  if (!plan.ok) return said(plan.failure)
  await ground.begun(now.value)
  const { steps, conflicts, uncovered } = plan.value
  const restored = await ground.snapshots.restore(plan.value, goal.signal)
  if (!restored.ok) return failed(`Nothing was changed: ${sayFailure(restored.failure)}.`)
  const after = await ground.done(new Map(steps.map(({ path, to }) => [path, to])))
  const { written, removed, kept } = restored.value
  return ok({
    from: now.value.id,
    // Even if it cannot be kept now, it has happened.
    to: after.ok ? after.value.id : goal.snapshotId,
    written,
    removed,
    kept: [...conflicts.map(({ path }) => path), ...kept.keys(), ...uncovered.keys()],
    why: Object.fromEntries([...kept, ...uncovered]),
  })
}

function planFor(
  { log: logBefore, snapshotId, force }: Goal,
  { snapshots, upToDate }: RewindGround,
  latest: string,
): Result<RestorePlan, SnapshotFailure> {
  // What a command did that was cut off, or still runs, was only just recorded.
  const log = upToDate(logBefore)
  const target = treeOf(snapshotId, log, snapshots)
  if (!target.ok) return target
  const written = lastWritten(agentChanges(log, snapshots, latest))
  const { isKept, excludedAt } = snapshots
  return ok(planRestore({ target: target.value, now: snapshots.now(), written, force, isKept, excludedAt }))
}

const changesOf = (steps: RestorePlan["steps"]) =>
  steps
    .filter(
      ({ from, to }) => !isSame(from, to) && [from.kind, to.kind].some((kind) => kind === "file" || kind === "link"),
    )
    .map(({ path, from, to }) => ({ path, before: from, after: to }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

const said = (failure: SnapshotFailure): Result<never, string> => failed(`${capital(sayFailure(failure))}.`)
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
