/** The parts of the changes of a session or a turn: what agents changed, what of it was kept, and what was undone. */

import type { Entry } from "#agent/words/entry.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import { changeKind, type PathChange, textOf } from "#ground/snapshots/compare.ts"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import { pause } from "#ground/snapshots/pause.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import { absent, isSame, type PathState } from "#ground/snapshots/state.ts"
import { hashOf } from "#ground/snapshots/store.ts"
import { stateIn } from "#ground/snapshots/tree.ts"
import { digestOf } from "#lib/digest.ts"
import { type Hunk, type LineDiff, lineDiff, mostHunkLines } from "#lib/diff.ts"
import { ok, type Result } from "#lib/result.ts"
import type { ReviewHunk } from "./checkpoints.ts"
import { type AgentChange, agentChanges, netChanges, placeOfPrompt } from "./history.ts"
import { type ReportGround, turnsOf } from "./report.ts"
import { type EditedText, withoutChange } from "./undo-lines.ts"

/** One part of a change of a path: some of its lines, or all of it. */
export interface ReviewPart {
  readonly id: string
  readonly state: ReviewHunk["state"]
  readonly change: PathChange
  /** Absent where only the whole can be undone: files that come, go, or have no lines. */
  readonly hunk: Hunk | undefined
}

export interface ReviewParts {
  readonly prompt: string | undefined
  readonly parts: readonly ReviewPart[]
  readonly changes: readonly AgentChange[]
  readonly contents: Contents
  readonly diffs: Diffs
}

/** How the lines of changes differ: comparing them is most of the work, so it is done once. */
export type Diffs = ReadonlyMap<PathChange, LineDiff>

/** Contents of the store, and those that are only computed. */
export interface Contents {
  readonly read: Snapshots["content"]
  readonly add: (text: string) => string
  readonly made: ReadonlyMap<string, Uint8Array>
}

function openContents(stored: Snapshots["content"]): Contents {
  const made = new Map<string, Uint8Array>()
  return {
    made,
    read(hash) {
      const bytes = made.get(hash)
      return bytes ? ok(bytes) : stored(hash)
    },
    add(text) {
      const bytes = Buffer.from(text)
      const hash = hashOf(bytes)
      made.set(hash, bytes)
      return hash
    },
  }
}

export async function partsOf(
  log: readonly Entry[],
  scope: ReviewScope,
  { snapshots, show }: Pick<ReportGround, "snapshots" | "show">,
): Promise<Result<ReviewParts, SnapshotFailure>> {
  const changes = agentChanges(log, snapshots)
  const restored = restoredAt(log)
  const { from, prompt } = startOf(log, scope, changes, restored)
  const kept = new Set(
    log.flatMap((entry) => (entry.kind === "review" && entry.act === "keep" ? entry.hunks.map(({ id }) => id) : [])),
  )
  const contents = openContents(snapshots.content)
  const own = await ownChanges(inScope(changes, from, restored), contents)
  if (!own.ok) return own
  const parts: ReviewPart[] = []
  const diffs = new Map<PathChange, LineDiff>()
  for (const change of own.value) {
    await pause()
    const found = await partsOfChange(change, contents.read, diffs)
    if (!found.ok) return found
    const ids = new Map<string, number>()
    for (const hunk of found.value) {
      const plain = digestOf([show(change.path), changeKind(change), changedIn(hunk)])
      const same = ids.get(plain) ?? 0
      ids.set(plain, same + 1)
      const id = same === 0 ? plain : digestOf([plain, same])
      parts.push({ id, state: kept.has(id) ? "kept" : "new", change, hunk })
    }
  }
  const undos = await undoneParts(log, from, { ...snapshots, show })
  return undos.ok ? ok({ prompt, changes, contents, diffs, parts: [...parts, ...undos.value] }) : undos
}

/**
 * The net change of each path by agents alone. What somebody else changed between two changes is put into the state
 * before, so that it is neither shown nor undone.
 */
async function ownChanges(
  changes: readonly AgentChange[],
  contents: Contents,
): Promise<Result<readonly PathChange[], SnapshotFailure>> {
  const net = new Map<string, AgentChange>()
  for (const change of changes) {
    const last = net.get(change.path)
    const before = last ? await carriedOver(last, change.before, contents) : ok(change.before)
    if (!before.ok) return before
    net.set(change.path, { ...change, before: before.value })
  }
  return ok(netChanges([...net.values()]))
}

async function carriedOver(
  { before, after }: PathChange,
  now: PathState,
  contents: Contents,
): Promise<Result<PathState, SnapshotFailure>> {
  if (isSame(after, now)) return ok(before)
  if (before.kind !== "file" || after.kind !== "file" || now.kind !== "file") return ok(now)
  const texts = textsOf({ before, after, now }, contents)
  if (!texts.ok) return texts
  if (texts.value === undefined) return ok(now)
  const text = await withoutChange(texts.value)
  return ok({ ...now, mode: before.mode === after.mode ? now.mode : before.mode, hash: contents.add(text) })
}

/** Undefined if one of them is no text. */
export function textsOf(
  states: { readonly before: PathState; readonly after: PathState; readonly now: PathState },
  { read }: Pick<Contents, "read">,
): Result<EditedText | undefined, SnapshotFailure> {
  const [before, after, now] = [textOf(states.before, read), textOf(states.after, read), textOf(states.now, read)]
  if (!before.ok) return before
  if (!after.ok) return after
  if (!now.ok) return now
  if (before.value === undefined || after.value === undefined || now.value === undefined) return ok(undefined)
  return ok({ before: before.value, after: after.value, now: now.value })
}

/** What the user undid and did not restore. Ids come from those of what was undone, so that a replay has the same. */
async function undoneParts(
  log: readonly Entry[],
  from: number,
  { treeAt, content, show }: Pick<Snapshots, "treeAt" | "content"> & Pick<ReportGround, "show">,
): Promise<Result<readonly ReviewPart[], SnapshotFailure>> {
  const parts = new Map<string, ReviewPart>()
  for (const entry of log.slice(from + 1)) {
    if (entry.kind !== "review") continue
    if (entry.act === "restore") for (const { id } of entry.hunks) parts.delete(id)
    if (entry.act !== "undo" || !entry.files) continue
    const [old, young] = [treeAt(entry.files.from), treeAt(entry.files.to)]
    // Snapshots that are no longer kept cannot be restored.
    if (!old.ok || !young.ok) continue
    for (const path of [...entry.files.written, ...entry.files.removed]) {
      const [before, after] = [stateIn(old.value, path) ?? absent, stateIn(young.value, path) ?? absent]
      const change = { path, before, after }
      const own = await partsOfChange(change, content)
      if (!own.ok) return own
      for (const [i, hunk] of own.value.entries()) {
        const id = digestOf([entry.hunks.map((one) => one.id), show(path), i])
        parts.set(id, { id, state: "undone", change, hunk })
      }
    }
  }
  return ok([...parts.values()])
}

/** The hunks of a change; one without lines where it can only be undone as a whole. */
async function partsOfChange(
  change: PathChange,
  content: Snapshots["content"],
  diffs?: Map<PathChange, LineDiff>,
): Promise<Result<readonly (Hunk | undefined)[], SnapshotFailure>> {
  if (changeKind(change) !== "modified" || change.before.kind !== "file" || change.after.kind !== "file")
    return ok([undefined])
  const [before, after] = [textOf(change.before, content), textOf(change.after, content)]
  if (!before.ok) return before
  if (!after.ok) return after
  if (before.value === undefined || after.value === undefined) return ok([undefined])
  const diff = await lineDiff(before.value, after.value)
  diffs?.set(change, diff)
  const { hunks } = diff
  const isCut = hunks.reduce((sum, { lines }) => sum + lines.length, 0) >= mostHunkLines
  return ok(hunks.length === 0 || isCut ? [undefined] : hunks)
}

const changedIn = (hunk: Hunk | undefined): readonly string[] =>
  hunk?.lines.filter((line) => !line.startsWith(" ")) ?? []

/** What was restored before the first change of a path is not part of the changes. */
function inScope(changes: readonly AgentChange[], from: number, restored: ReadonlySet<number>): readonly AgentChange[] {
  const begun = new Set<string>()
  return changes.filter(({ index, path }) => {
    if (index <= from || (restored.has(index) && !begun.has(path))) return false
    begun.add(path)
    return true
  })
}

/** Places of snapshots that were taken after files were restored. */
function restoredAt(log: readonly Entry[]): ReadonlySet<number> {
  const places = new Set<number>()
  let isRestoring = false
  for (const [index, entry] of log.entries()) {
    if (entry.kind !== "snapshot") continue
    if (entry.when === "restore") isRestoring = true
    if (entry.when !== "after" || !isRestoring) continue
    places.add(index)
    isRestoring = false
  }
  return places
}

function startOf(
  log: readonly Entry[],
  scope: ReviewScope,
  changes: readonly AgentChange[],
  restored: ReadonlySet<number>,
): { readonly from: number; readonly prompt: string | undefined } {
  if (scope === "session") return { from: -1, prompt: undefined }
  const turns = turnsOf(log)
  if (scope === "turn") {
    const made = changes.filter(({ index }) => !restored.has(index))
    const last = turns.findLast(({ from, until }) => made.some(({ index }) => index > from && index < until))
    return { from: last?.from ?? log.length, prompt: last?.prompt }
  }
  const from = placeOfPrompt(log, scope.since)
  const turn = turns.findLast((one) => one.from < from)
  return { from: from === -1 ? log.length : from, prompt: turn?.prompt }
}
