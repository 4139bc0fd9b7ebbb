/** Shows changes part by part, and keeps, undoes or restores some of them. See decision 142. */

import { dirname } from "node:path"
import type { Entry, ReviewAct, ReviewedHunk } from "#agent/words/entry.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import { changeKind, figuresOf, type PathChange } from "#ground/snapshots/compare.ts"
import { type SnapshotFailure, sayFailure } from "#ground/snapshots/failure.ts"
import { pause } from "#ground/snapshots/pause.ts"
import type { RestoreStep } from "#ground/snapshots/plan-restore.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import { absent, isSame, type PathState } from "#ground/snapshots/state.ts"
import { stateIn } from "#ground/snapshots/tree.ts"
import { firstChangedLine, type Hunk } from "#lib/diff.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Review, Reviewed, ReviewFile, ReviewGoal, ReviewHunk, ReviewPatches } from "./checkpoints.ts"
import type { AgentChange } from "./history.ts"
import { patchOfChanges } from "./patch.ts"
import type { ReportGround } from "./report.ts"
import type { RestoreMoments, RewindGround } from "./rewind.ts"
import { type Contents, partsOf, type ReviewPart, type ReviewParts, textsOf } from "./review-parts.ts"
import { undoLines } from "./undo-lines.ts"

export async function reviewOf(
  log: readonly Entry[],
  scope: ReviewScope,
  ground: ReportGround,
  patches: ReviewPatches = "all",
): Promise<Result<Review, SnapshotFailure>> {
  const found = await partsOf(log, scope, ground)
  if (!found.ok) return found
  const byPath = Map.groupBy(found.value.parts, ({ change }) => change.path)
  const { contents, diffs } = found.value
  const files: ReviewFile[] = []
  for (const [path, parts] of [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const standing = parts.find(({ state }) => state !== "undone")
    const shown = standing?.change ?? parts[0]?.change
    if (!shown) continue
    // What was undone is shown as it was made.
    const change = standing ? shown : { path, before: shown.after, after: shown.before }
    await pause()
    const figures = await figuresOf(change, contents.read, diffs.get(change))
    if (!figures.ok) return figures
    const { kind, added, removed, binary } = figures.value
    const isWanted = patches === "all" || parts.some(({ hunk }) => hunk === undefined)
    const patch = isWanted
      ? await patchOfChanges([change], { content: contents.read, name: ground.name, diffs })
      : ok("")
    if (!patch.ok) return patch
    const hunks = parts
      .map(({ id, state, hunk }) => ({
        id,
        state,
        hunk: hunk === undefined ? null : state === "undone" ? turnedRound(hunk) : hunk,
      }))
      .toSorted((a, b) => (a.hunk?.oldStart ?? 0) - (b.hunk?.oldStart ?? 0))
    files.push({ path: ground.show(path), change: kind, added, removed, binary, patch: patch.value, hunks })
  }
  return ok({ ...optional("prompt", found.value.prompt), files })
}

/** Fails with words for the user if nothing was done. */
export async function carryOutReview(
  goal: ReviewGoal,
  ground: RewindGround & RestoreMoments,
): Promise<Result<Reviewed, string>> {
  const found = await partsOf(goal.log, goal.scope, ground)
  if (!found.ok) return said(found.failure)
  const chosen = found.value.parts.filter(({ id, state }) => goal.hunks.includes(id) && fitting[goal.act](state))
  if (chosen.length === 0) return failed("Those changes are not there any more. Nothing was changed.")
  if (goal.act === "keep") return ok({ hunks: chosen.map((part) => reviewed(part, ground.show)) })
  const now = await ground.now()
  if (!now.ok)
    return failed(`Nothing was changed, because the present state could not be kept: ${sayFailure(now.failure)}.`)
  const plan = await planUndo(chosen, found.value, ground.snapshots)
  if (!plan.ok) return said(plan.failure)
  const { steps, left } = plan.value
  if (steps.length === 0) return failed(notUndone(goal.act, left, ground.show))
  await ground.begun(now.value)
  const restored = await ground.snapshots.restore(
    { steps, conflicts: [], uncovered: new Map() },
    goal.signal,
    found.value.contents.made,
  )
  if (!restored.ok) return failed(`Nothing was changed: ${sayFailure(restored.failure)}.`)
  const after = await ground.done(new Map(steps.map(({ path, to }) => [path, to])))
  const { written, removed, kept } = restored.value
  const stuck = chosen.filter(({ id, change }) => kept.has(change.path) && !left.some((one) => one.part.id === id))
  const all = [...left, ...stuck.map((part) => ({ part, why: kept.get(part.change.path) ?? editedSince }))]
  const done = chosen.filter(({ id }) => !all.some(({ part }) => part.id === id))
  if (done.length === 0) return failed(notUndone(goal.act, all, ground.show))
  const files = {
    from: now.value.id,
    to: after.ok ? after.value.id : now.value.id,
    written,
    removed,
    kept: [...kept.keys()],
  }
  return ok({
    hunks: done.map((part) => reviewed(part, ground.show)),
    files,
    ...(all.length > 0 && { left: all.map(({ part, why }) => ({ hunk: reviewed(part, ground.show), why })) }),
  })
}

const fitting: { readonly [act in ReviewAct]: (state: ReviewHunk["state"]) => boolean } = {
  keep: (state) => state === "new",
  undo: (state) => state !== "undone",
  restore: (state) => state === "undone",
}

interface UndoPlan {
  readonly steps: readonly RestoreStep[]
  readonly left: readonly { readonly part: ReviewPart; readonly why: string }[]
}

const editedSince = "edited since"

async function planUndo(
  chosen: readonly ReviewPart[],
  { changes, contents }: Pick<ReviewParts, "changes" | "contents">,
  snapshots: Snapshots,
): Promise<Result<UndoPlan, SnapshotFailure>> {
  const tree = snapshots.now()
  const steps: RestoreStep[] = []
  const left: UndoPlan["left"][number][] = []
  for (const [path, parts] of Map.groupBy(chosen, ({ change }) => change.path)) {
    const from = stateIn(tree, path)
    if (from === undefined || from.kind === "uncovered") {
      left.push(...parts.map((part) => ({ part, why: "there is no snapshot of the file as it is now" })))
      continue
    }
    let to: PathState = from
    for (const [change, own] of Map.groupBy(parts, (part) => part.change)) {
      const next = await undone(change, own, to, contents)
      if (!next.ok) return next
      to = next.value.to
      left.push(...next.value.left.map((part) => ({ part, why: editedSince })))
    }
    if (!isSame(from, to)) steps.push({ path, from, to })
  }
  return ok({ steps: [...steps, ...foldersToRemove(steps, changes, snapshots)], left })
}

/** The state of a path after some parts of a change are undone in `now`. */
async function undone(
  change: PathChange,
  parts: readonly ReviewPart[],
  now: PathState,
  contents: Contents,
): Promise<Result<{ readonly to: PathState; readonly left: readonly ReviewPart[] }, SnapshotFailure>> {
  const hunks = parts.flatMap(({ hunk }) => hunk ?? [])
  const isWhole = hunks.length < parts.length
  if (isWhole) return ok(isSame(now, change.after) ? { to: change.before, left: [] } : { to: now, left: parts })
  const texts = textsOf({ before: change.before, after: change.after, now }, contents)
  if (!texts.ok) return texts
  if (now.kind !== "file" || texts.value === undefined) return ok({ to: now, left: parts })
  const { text, left } = await undoLines(texts.value, hunks)
  const hash = contents.add(text)
  const isAll = change.before.kind === "file" && change.before.hash === hash && isSame(now, change.after)
  return ok({
    // When nothing of the change is left, its permissions go too.
    to: isAll ? change.before : { ...now, hash },
    left: parts.filter(({ hunk }) => hunk !== undefined && left.includes(hunk)),
  })
}

/** Folders that came with files that go; one with something else in it stays. */
function foldersToRemove(
  steps: readonly RestoreStep[],
  changes: readonly AgentChange[],
  snapshots: Snapshots,
): readonly RestoreStep[] {
  const tree = snapshots.now()
  const created = new Set(
    changes.filter(({ before, after }) => before.kind === "absent" && after.kind === "folder").map(({ path }) => path),
  )
  const folders = new Map<string, RestoreStep>()
  for (const { path, to } of steps) {
    if (to.kind !== "absent") continue
    for (let at = dirname(path); created.has(at); at = dirname(at)) {
      const from = stateIn(tree, at)
      if (from?.kind === "folder") folders.set(at, { path: at, from, to: absent })
    }
  }
  return [...folders.values()]
}

/** The opposite change, with what goes before what comes. */
function turnedRound({ oldStart, oldLines, newStart, newLines, lines }: Hunk): Hunk {
  const turned: string[] = []
  let came: string[] = []
  for (const line of lines) {
    if (line.startsWith("-")) came.push(`+${line.slice(1)}`)
    else if (line.startsWith("+")) turned.push(`-${line.slice(1)}`)
    else {
      turned.push(...came, line)
      came = []
    }
  }
  return { oldStart: newStart, oldLines: newLines, newStart: oldStart, newLines: oldLines, lines: [...turned, ...came] }
}

const mostPatch = 2000

/** Always the change as it was made. */
function reviewed({ id, state, ...part }: ReviewPart, show: (path: string) => string): ReviewedHunk {
  const { path, before, after } = part.change
  const change = state === "undone" ? { path, before: after, after: before } : part.change
  const hunk = part.hunk && (state === "undone" ? turnedRound(part.hunk) : part.hunk)
  const patch = hunk?.lines.join("\n") ?? ""
  const lines = hunk && changedSpan(hunk)
  return {
    id,
    path: show(path),
    ...optional("lines", lines),
    change: changeKind(change),
    patch: patch.length > mostPatch ? `${patch.slice(0, mostPatch)}\n…` : patch,
  }
}

/** Without the context around it, in the lines of the file after the change. */
function changedSpan(hunk: Hunk): { readonly from: number; readonly to: number } {
  const { newStart, newLines, lines } = hunk
  const trailing = lines.toReversed().findIndex((line) => !line.startsWith(" "))
  const from = firstChangedLine(hunk)
  return { from, to: Math.max(from, newStart + newLines - 1 - Math.max(0, trailing)) }
}

function notUndone(act: ReviewAct, left: UndoPlan["left"], show: (path: string) => string): string {
  const verb = act === "restore" ? "Not restored" : "Not undone"
  const places = left.map(({ part, why }) => {
    const { path, lines } = reviewed(part, show)
    return `${path}${lines ? ` line ${lines.from}` : ""} (${why})`
  })
  return `${verb}: ${[...new Set(places)].join(", ")}. Nothing was changed.`
}

const said = (failure: SnapshotFailure): Result<never, string> => failed(`${sayFailure(failure)}.`)
