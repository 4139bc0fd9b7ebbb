/** Combines the log and the store: who changed which file when. */

import type { Entry, SnapshotGap } from "#agent/words/entry.ts"
import { isBelowOne, isCovered, type SnapshotTree } from "#ground/snapshots/tree.ts"
import { isKeptLate, isSame, type PathState } from "#ground/snapshots/state.ts"
import type { Manifest } from "#ground/snapshots/manifest.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import type { PathChange } from "#ground/snapshots/compare.ts"
import { generatedFolders } from "#lib/generated-folders.ts"
import { ok, type Result } from "#lib/result.ts"

type SnapshotEntry = Entry & { readonly kind: "snapshot" }

export interface AgentChange extends PathChange {
  readonly index: number
}

const absent: PathState = { kind: "absent" }

/** Every change by an agent, in order, without snapshots that are no longer kept. `latest` is not in the log yet. */
export function agentChanges(
  log: readonly Entry[],
  snapshots: Pick<Snapshots, "load" | "treeAt">,
  latest?: string,
): readonly AgentChange[] {
  const since = log[0]?.at ?? 0
  const changes: AgentChange[] = []
  let states = new Map<string, PathState>()
  let at: string | null = null
  const logged = snapshotEntries(log).map(({ entry, index }) => ({ snapshotId: entry.snapshotId, index }))
  const all = latest === undefined ? logged : [...logged, { snapshotId: latest, index: log.length }]
  const seen = new Set<string>()
  for (const { snapshotId, index } of all) {
    if (seen.has(snapshotId)) continue
    seen.add(snapshotId)
    const manifest = snapshots.load(snapshotId)
    // A snapshot of another session can be the first of this one: its changes are not this session's.
    if (!manifest.ok || manifest.value.at < since) continue
    const { id, base, by, changed } = manifest.value
    if (base !== at) {
      const tree = base === null ? undefined : snapshots.treeAt(base)
      states = new Map(tree?.ok ? tree.value.states : [])
    }
    const isFirstLook = firstLookAt(manifest.value, snapshots)
    for (const [path, after] of changed) {
      if (by === "agent" && !(isFirstLook(path) && !states.has(path)))
        changes.push({ path, before: states.get(path) ?? absent, after, index })
      states.set(path, after)
    }
    at = id
  }
  return changes
}

/** Whether a snapshot was the first to include a path, because its folder was added: what it finds there is nobody's change. */
function firstLookAt(
  { complete, roots, base }: Manifest,
  { load }: Pick<Snapshots, "load">,
): (path: string) => boolean {
  const before = base === null ? undefined : load(base)
  if (!complete || !before?.ok || !before.value.complete) return () => false
  const { roots: known } = before.value
  return (path) => !isBelowOne(path, known) && isBelowOne(path, roots)
}

export function lastWritten(changes: readonly AgentChange[]): ReadonlyMap<string, PathState> {
  return new Map(changes.map(({ path, after }) => [path, after]))
}

/** The calls after a place in the log that undo does not cover, each once. */
export function gapsAfter(log: readonly Entry[], index: number): readonly SnapshotGap[] {
  const gaps = new Map<string, SnapshotGap>()
  for (const entry of log.slice(index + 1))
    if (entry.kind === "snapshot" && entry.gap) gaps.set(entry.callId ?? entry.uuid, entry.gap)
  return [...gaps.values()]
}

export const placeOfPrompt = (log: readonly Entry[], promptId: string): number =>
  log.findIndex((entry) => entry.kind === "prompt" && entry.promptId === promptId)

/** The net result of several changes, by path; without what ended as it began, and what tools can generate again. */
export function netChanges(changes: readonly AgentChange[]): readonly PathChange[] {
  const net = new Map<string, PathChange>()
  for (const { path, before, after } of changes) net.set(path, { path, before: net.get(path)?.before ?? before, after })
  return [...net.values()]
    .filter(({ before, after }) => !isSame(before, after) && (isFile(before) || isFile(after)))
    .filter(({ path }) => !path.split("/").some((name) => generatedFolders.has(name)))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const isFile = ({ kind }: PathState): boolean => kind === "file" || kind === "link"

/** The snapshot with the files as they were before a prompt: its own, or the next one. */
export function snapshotBefore(log: readonly Entry[], promptId: string): SnapshotEntry | undefined {
  const all = snapshotEntries(log)
  const own = all.find(({ entry }) => entry.when === "prompt" && entry.promptId === promptId)
  if (own) return own.entry
  const at = placeOfPrompt(log, promptId)
  return at === -1 ? undefined : all.find(({ index }) => index > at)?.entry
}

/**
 * The complete state at a snapshot. What it does not contain, because no agent had touched it yet, is taken from the next snapshot that does: an agent
 * changes nothing before its state is kept.
 */
export function treeOf(
  id: string,
  log: readonly Entry[],
  snapshots: Pick<Snapshots, "load" | "treeAt">,
): Result<SnapshotTree, SnapshotFailure> {
  const tree = snapshots.treeAt(id)
  if (!tree.ok) return tree
  const states = new Map(tree.value.states)
  /** What was scanned in full, by this snapshot or a later one. */
  let whole: Pick<SnapshotTree, "complete" | "roots"> = tree.value
  const entries = snapshotEntries(log)
  const from = entries.findIndex(({ entry }) => entry.snapshotId === id)
  for (const { entry } of entries.slice(from + 1)) {
    const later = snapshots.load(entry.snapshotId)
    if (!later.ok) continue
    const { complete, roots, changed } = later.value
    const known = complete && !covers(whole, roots) ? snapshots.treeAt(entry.snapshotId) : undefined
    for (const [path, state] of known?.ok ? known.value.states : changed)
      if (isKeptLate(states.get(path), state) || (!states.has(path) && !isCovered(whole, path))) states.set(path, state)
    if (known?.ok) whole = { complete: true, roots: whole.complete ? [...whole.roots, ...roots] : roots }
  }
  return ok({ ...whole, states })
}

const covers = (
  { complete, roots: known }: Pick<SnapshotTree, "complete" | "roots">,
  roots: readonly string[],
): boolean => complete && roots.every((root) => known.includes(root) || isBelowOne(root, known))

function snapshotEntries(log: readonly Entry[]): readonly { readonly entry: SnapshotEntry; readonly index: number }[] {
  const seen = new Set<string>()
  return log.flatMap((entry, index) => {
    if (entry.kind !== "snapshot" || entry.snapshotId === "") return []
    // A prompt's entry counts even if its snapshot is known: it says which prompt.
    const isNew = !seen.has(entry.snapshotId) || entry.when === "prompt"
    seen.add(entry.snapshotId)
    return isNew ? [{ entry, index }] : []
  })
}
