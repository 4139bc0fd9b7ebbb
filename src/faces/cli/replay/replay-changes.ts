/** What the user did to the files themselves, between what the agent did: done again when it was done then. */

import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { materialise } from "#ground/snapshots/materialise.ts"
import type { PathState } from "#ground/snapshots/state.ts"
import { openStore, type Store } from "#ground/snapshots/store.ts"
import type { SnapshotTree } from "#ground/snapshots/tree.ts"
import { treeOf } from "#kits/checkpoints/history.ts"
import type { UserAct } from "#session/replay/acts.ts"
import { snapshotIds } from "#faces/cli/sessions/read-store.ts"

export interface PersonsChanges {
  /** Repeats the changes since the previous act, as far as snapshots show them. */
  readonly before: (act: UserAct) => Promise<void>
}

export function openPersonsChanges(parts: {
  readonly entries: readonly Entry[]
  readonly folder: string
  readonly from: string
  readonly to: string
}): PersonsChanges {
  const { entries, folder, from, to } = parts
  const store = openStore(folder)
  const place = { from, to, content: store.content }
  const ids = new Set(snapshotIds(entries))
  const [first] = ids
  const times = new Map(
    entries.flatMap((entry) => (entry.kind === "snapshot" ? [[entry.snapshotId, entry.at] as const] : [])).toReversed(),
  )
  const waiting = changesIn(entries, ids, store)
  /** Whether the user's commands changed files that no snapshot has yet. */
  let isUnsettled = false

  return {
    async before({ op, at }) {
      if (first !== undefined && at < (times.get(first) ?? 0)) {
        // The first snapshot already holds what such a command did, so it is put back when it has done it again.
        const tree = isUnsettled ? treeOf(first, entries, store) : undefined
        if (tree?.ok) await layAgain(tree.value, place)
        isUnsettled = op.type === "shell"
      }
      const due = waiting.findLastIndex((change) => isDue(change, { op, at })) + 1
      for (const { changed } of waiting.splice(0, due)) await materialise(changed, place)
    },
  }
}

interface NoticedChange {
  readonly changed: ReadonlyMap<string, PathState>
  readonly turn: string | undefined
  readonly at: number
}

const isDue = ({ turn, at }: NoticedChange, act: UserAct): boolean =>
  turn === undefined ? at <= act.at : act.op.type === "prompt" && act.op.promptId === turn

function changesIn(entries: readonly Entry[], ids: ReadonlySet<string>, store: Store): NoticedChange[] {
  const seen = new Set<string>()
  const changes: NoticedChange[] = []
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== "snapshot" || seen.has(entry.snapshotId)) continue
    seen.add(entry.snapshotId)
    const manifest = store.load(entry.snapshotId)
    // One that goes on from another session tells what was different there, not what was done here.
    if (!manifest.ok || manifest.value.by !== "person" || !ids.has(manifest.value.base ?? "")) continue
    changes.push({ changed: manifest.value.changed, turn: turnAt(entries, index), at: entry.at })
  }
  return changes
}

function turnAt(entries: readonly Entry[], index: number): string | undefined {
  const start = entries.findLastIndex((entry, i) => i < index && entry.kind === "turn_start")
  const isOver = entries.slice(start + 1, index).some(({ kind }) => kind === "turn_end")
  if (start === -1 || isOver) return undefined
  return entries.slice(start).find((entry) => entry.kind === "prompt")?.promptId
}

async function layAgain({ complete, states }: SnapshotTree, place: Parameters<typeof materialise>[1]): Promise<void> {
  const { from, to } = place
  const clear = (below: string): void => {
    for (const entry of readdirSync(to + below, { withFileTypes: true })) {
      const path = join(below, "/", entry.name)
      const state = states.get(from + path)
      if (entry.name === ".git" || state?.kind === "uncovered") continue
      if (state === undefined) rmSync(to + path, { recursive: true, force: true })
      else if (entry.isDirectory()) clear(path)
    }
  }
  if (complete) clear("")
  await materialise(states, place)
}
