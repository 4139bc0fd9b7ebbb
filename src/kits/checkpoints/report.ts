/** What the agents changed, for people: per turn, per prompt, and in total. */

import type { Entry } from "#agent/words/entry.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import { changeKind, figuresOf, type PathChange, textOf } from "#ground/snapshots/compare.ts"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { ChangedFile, PreviewFile, RewindPoint, TurnDiff, TurnSummary } from "./checkpoints.ts"
import { agentChanges, gapsAfter, netChanges, snapshotBefore } from "./history.ts"
import { patchOfChanges } from "./patch.ts"
import { gapLine, summaryText } from "./words.ts"

export interface ReportGround {
  readonly snapshots: Pick<Snapshots, "load" | "treeAt" | "content">
  readonly show: (path: string) => string
  readonly name: (path: string) => string
}

export function pointsOf(
  log: readonly Entry[],
  path: readonly Entry[],
  { snapshots, show }: ReportGround,
): RewindPoint[] {
  const changes = agentChanges(log, snapshots)
  const places = new Map(log.map((entry, index) => [entry.uuid, index]))
  const prompts = log.flatMap((entry, index) => (entry.kind === "prompt" ? [index] : []))
  return path.flatMap((entry) => {
    if (entry.kind !== "prompt") return []
    const from = places.get(entry.uuid) ?? -1
    const until = prompts.find((index) => index > from) ?? log.length
    const since = changes.filter(({ index }) => index > from)
    const paths = (some: typeof changes): readonly string[] => netChanges(some).map((change) => show(change.path))
    return [
      {
        promptId: entry.promptId,
        uuid: entry.uuid,
        at: entry.at,
        text: saidText(entry),
        ...optional("snapshotId", snapshotBefore(log, entry.promptId)?.snapshotId),
        own: paths(since.filter(({ index }) => index < until)),
        files: paths(since),
        uncovered: gapsAfter(log, from).map(gapLine),
      },
    ]
  })
}

export function summaryOf(
  log: readonly Entry[],
  turnId: string | undefined,
  { snapshots, show }: ReportGround,
): TurnSummary {
  const turns = turnsOf(log)
  const turn = turnId === undefined ? turns.at(-1) : turns.find((one) => one.turnId === turnId)
  const changes = turn ? netChanges(agentChanges(log, snapshots).filter(({ index }) => isIn(turn, index))) : []
  const of = (...kinds: readonly string[]): string[] =>
    changes.filter((change) => kinds.includes(changeKind(change))).map(({ path }) => show(path))
  const created = of("created")
  const modified = of("modified", "mode")
  const removed = of("removed")
  const text = summaryText({ created: created.length, modified: modified.length, removed: removed.length })
  return { created, modified, removed, text }
}

export async function diffOf(
  log: readonly Entry[],
  ground: ReportGround,
): Promise<Result<readonly TurnDiff[], SnapshotFailure>> {
  const all = agentChanges(log, ground.snapshots)
  const diffs: TurnDiff[] = []
  for (const turn of turnsOf(log)) {
    const changes = netChanges(all.filter(({ index }) => isIn(turn, index)))
    if (changes.length === 0) continue
    const files = await filesOf(changes, ground)
    if (!files.ok) return files
    const patch = await patchOf(changes, ground)
    if (!patch.ok) return patch
    diffs.push({ turnId: turn.turnId, prompt: turn.prompt, files: files.value, patch: patch.value })
  }
  return ok(diffs)
}

export async function changesOf(
  log: readonly Entry[],
  since: string | undefined,
  ground: ReportGround,
): Promise<Result<readonly ChangedFile[], SnapshotFailure>> {
  const from = since === undefined ? -1 : log.findIndex((entry) => entry.kind === "prompt" && entry.promptId === since)
  const changed: ChangedFile[] = []
  for (const change of netChanges(agentChanges(log, ground.snapshots).filter(({ index }) => index > from))) {
    const files = await filesOf([change], ground)
    if (!files.ok) return files
    const patch = await patchOf([change], ground)
    if (!patch.ok) return patch
    changed.push(...files.value.map((file) => ({ ...file, patch: patch.value })))
  }
  return ok(changed)
}

/** Lines that came with the changes of agents, whether or not they are still there. Files that are not text have none. */
export function writtenLines(
  log: readonly Entry[],
  { snapshots }: Pick<ReportGround, "snapshots">,
): Result<ReadonlyMap<string, readonly string[]>, SnapshotFailure> {
  const written = new Map<string, readonly string[]>()
  for (const { path, before, after } of agentChanges(log, snapshots)) {
    const [old, young] = [textOf(before, snapshots.content), textOf(after, snapshots.content)]
    if (!old.ok) return old
    if (!young.ok) return young
    const lines = young.value === undefined ? [] : addedLines(old.value ?? "", young.value)
    written.set(path, [...(written.get(path) ?? []), ...lines])
  }
  return ok(written)
}

function addedLines(before: string, after: string): readonly string[] {
  const left = new Map<string, number>()
  for (const line of before.split("\n")) left.set(line, (left.get(line) ?? 0) + 1)
  return after.split("\n").filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

export function sessionPatch(log: readonly Entry[], ground: ReportGround): Promise<Result<string, SnapshotFailure>> {
  return patchOf(netChanges(agentChanges(log, ground.snapshots)), ground)
}

const patchOf = (
  changes: readonly PathChange[],
  { snapshots, name }: ReportGround,
): Promise<Result<string, SnapshotFailure>> => patchOfChanges(changes, { content: snapshots.content, name })

export async function filesOf(
  changes: readonly PathChange[],
  { snapshots, show }: Omit<ReportGround, "name">,
): Promise<Result<readonly PreviewFile[], SnapshotFailure>> {
  const files: PreviewFile[] = []
  for (const change of changes) {
    const figures = await figuresOf(change, snapshots.content)
    if (!figures.ok) return figures
    const { kind, added, removed, binary } = figures.value
    files.push({ path: show(change.path), change: kind, added, removed, binary })
  }
  return ok(files)
}

interface TurnSpan {
  readonly turnId: string
  readonly prompt: string
  readonly from: number
  /** Index where the next turn begins: what is found between two turns belongs to the first. */
  readonly until: number
}

const isIn = ({ from, until }: TurnSpan, index: number): boolean => index > from && index < until

export function turnsOf(log: readonly Entry[]): readonly TurnSpan[] {
  const starts = log.flatMap((entry, from) => (entry.kind === "turn_start" ? [{ turnId: entry.turnId, from }] : []))
  return starts.map(({ turnId, from }, i) => {
    const until = starts[i + 1]?.from ?? log.length
    // A rewind between two turns is not part of the first.
    const head = log.findIndex((entry, index) => index > from && index < until && isRestore(entry))
    const prompt = log.find((entry, index) => index > from && index < until && entry.kind === "prompt")
    return {
      turnId,
      from,
      until: head === -1 ? until : head,
      prompt: prompt?.kind === "prompt" ? saidText(prompt) : "",
    }
  })
}

const isRestore = (entry: Entry): boolean => entry.kind === "snapshot" && entry.when === "restore"
