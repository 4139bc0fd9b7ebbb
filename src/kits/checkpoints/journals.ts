/**
 * The journals of commands. What they recorded becomes a snapshot from before the commands, and the paths are looked at
 * again for one from after: when a command ends, before anything else is kept, and at resume if it was cut off.
 */

import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import { type Journal, openJournal, type Touched } from "#ground/snapshots/journal.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Notes } from "./notes.ts"

export interface JournaledCall {
  readonly callId: string
  /** The title of that call. */
  readonly call: string
}

export interface Journals {
  /** A new folder for one. */
  readonly open: (call: JournaledCall) => string
  /** Keeps what was recorded since the last time; the first time also what was left from before a resume. */
  readonly keep: (snapshots: Snapshots, signal: AbortSignal) => Promise<Result<void, SnapshotFailure>>
  readonly close: () => Promise<void>
}

interface Live extends JournaledCall {
  readonly journal: Journal
  readonly touched: Set<string>
  /** It was cut off together with whoever wrote it. */
  readonly isLeftover: boolean
}

export function openJournals({
  folder,
  notes,
}: {
  readonly folder: string | undefined
  readonly notes: Pick<Notes, "write">
}): Journals {
  const live = new Set<Live>()
  const removing = new Set<Promise<void>>()
  let count = 0
  let isFirst = true

  function add(at: string, call: JournaledCall, isLeftover: boolean): void {
    live.add({ ...call, journal: openJournal(at), touched: new Set(), isLeftover })
  }

  function adoptLeftovers(): void {
    const known = new Set([...live].map(({ journal }) => journal.folder))
    for (const name of folder === undefined ? [] : namesIn(folder)) {
      const at = join(folder ?? "", name)
      if (!known.has(at)) add(at, { callId: name.slice(name.indexOf("-") + 1), call: "" }, true)
    }
  }

  /** A path that another journal has touched before was as that one says. */
  function readNew(one: Live): readonly Touched[] {
    const others = [...live].filter((other) => other !== one)
    return one.journal.read().filter(({ path }) => {
      one.touched.add(path)
      return !others.some(({ touched }) => touched.has(path))
    })
  }

  async function keepOne(one: Live, snapshots: Snapshots, signal: AbortSignal): Promise<Result<void, SnapshotFailure>> {
    const { callId, call, journal, touched, isLeftover } = one
    const found = readNew(one)
    if (found.length > 0) {
      const before = await snapshots.saveTouched(found, signal)
      if (!before.ok) return before
      notes.write({ when: "before", callId, call }, before.value)
    }
    const why = journal.gap()
    if (touched.size > 0 || why !== undefined) {
      const after = await snapshots.save([...touched], "agent", signal, "exact")
      if (!after.ok) return after
      notes.write({ when: "after", callId, call }, { ...after.value, ...(why !== undefined && { why }) })
    }
    if (journal.isEnded() || isLeftover) drop(one)
    return ok(undefined)
  }

  function drop(one: Live): void {
    live.delete(one)
    const removed = rm(one.journal.folder, { recursive: true, force: true }).catch(() => {})
    removing.add(removed)
    void removed.then(() => removing.delete(removed))
  }

  return {
    open(call) {
      const at = join(folder ?? "", `${String(++count).padStart(4, "0")}-${call.callId.replaceAll(/[^\w-]/g, "_")}`)
      rmSync(at, { recursive: true, force: true })
      mkdirSync(at, { recursive: true, mode: 0o700 })
      add(at, call, false)
      return at
    },
    async keep(snapshots, signal) {
      if (isFirst) adoptLeftovers()
      isFirst = false
      for (const one of live) {
        const kept = await keepOne(one, snapshots, signal)
        if (!kept.ok) return kept
      }
      return ok(undefined)
    },
    async close() {
      await Promise.all(removing)
      if (folder !== undefined && live.size === 0) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
