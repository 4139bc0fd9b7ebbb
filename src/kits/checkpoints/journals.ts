/**
 * The journals of commands. What they recorded becomes a snapshot from before the commands, and the paths are looked at
 * again for one from after: when a command ends, before anything else is kept, and at resume if it was cut off.
 */

import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { SnapshotFailure } from "#ground/snapshots/failure.ts"
import { type Journal, openJournal, type RefusedFile, type Touched } from "#ground/snapshots/journal.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import type { SnapshotTree } from "#ground/snapshots/tree.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Notes } from "./notes.ts"
import { namesIn } from "#lib/quietly.ts"

export interface JournaledCall {
  readonly callId: string
  /** The title of that call. */
  readonly call: string
  /** Hears of files that it must not change because they are too large to be saved first. */
  readonly onRefused?: (file: RefusedFile) => void
}

export interface Journals {
  /** A new folder for one. */
  readonly open: (call: JournaledCall) => string
  /**
   * Keeps what was recorded since the last time; the first time also what was left from before a resume. `removed`: until
   * journals that are done are gone, and with them their links, which changes the files that they are of.
   */
  readonly keep: (
    snapshots: Snapshots,
    signal: AbortSignal,
    until?: "kept" | "removed",
  ) => Promise<Result<void, SnapshotFailure>>
  readonly close: () => Promise<void>
}

/** Of a journal that is kept and can go. */
const doneSuffix = ".done"

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
    for (const name of folder === undefined ? [] : namesIn(folder).toSorted()) {
      const at = join(folder ?? "", name)
      if (name.endsWith(doneSuffix)) remove(at)
      else if (!known.has(at)) add(at, { callId: name.slice(name.indexOf("-") + 1), call: "" }, true)
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
    const { callId, call, onRefused, journal, touched, isLeftover } = one
    const refusedBefore = journal.refused().length
    const found = readNew(one)
    for (const file of journal.refused().slice(refusedBefore)) onRefused?.(file)
    if (found.length > 0) {
      const before = await snapshots.saveTouched(found, signal)
      if (!before.ok) return before
      notes.write({ when: "before", callId, call }, before.value)
    }
    for (const path of otherNames(found, snapshots.now())) touched.add(path)
    const why = journal.gap()
    if (touched.size > 0 || why !== undefined) {
      const after = await snapshots.save([...touched], "agent", signal, "exact")
      if (!after.ok) return after
      notes.write({ when: "after", callId, call }, { ...after.value, ...(why !== undefined && { why }) })
    }
    if (journal.isEnded() || isLeftover) drop(one, snapshots)
    return ok(undefined)
  }

  function drop(one: Live, snapshots: Snapshots): void {
    live.delete(one)
    snapshots.takeOver(one.journal.folder)
    // Somebody who is killed now must not leave half a journal that looks whole.
    const done = `${one.journal.folder}${doneSuffix}`
    try {
      renameSync(one.journal.folder, done)
    } catch {
      // Somebody has removed it.
    }
    remove(done)
  }

  function remove(at: string): void {
    const removed = rm(at, { recursive: true, force: true }).catch(() => {})
    removing.add(removed)
    void removed.then(() => removing.delete(removed))
  }

  const removed = async (): Promise<void> => void (await Promise.all(removing))

  return {
    open(call) {
      const at = join(folder ?? "", `${String(++count).padStart(4, "0")}-${call.callId.replaceAll(/[^\w-]/g, "_")}`)
      rmSync(at, { recursive: true, force: true })
      mkdirSync(at, { recursive: true, mode: 0o700 })
      add(at, call, false)
      return at
    },
    async keep(snapshots, signal, until = "kept") {
      if (isFirst) adoptLeftovers()
      isFirst = false
      for (const one of live) {
        const kept = await keepOne(one, snapshots, signal)
        if (!kept.ok) return kept
      }
      if (until === "removed") await removed()
      return ok(undefined)
    },
    async close() {
      await removed()
      if (folder !== undefined && live.size === 0) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Known files that are still the same as one that was touched: whoever wrote to one of its names changed them as well. */
function otherNames(touched: readonly Touched[], { states }: SnapshotTree): readonly string[] {
  const stamps = touched.flatMap(({ found }) => (found?.kind === "file" ? [found.stamp] : []))
  const devices = new Map(stamps.map(({ inode, device }) => [inode, device]))
  if (devices.size === 0) return []
  return [...states].flatMap(([path, state]) => {
    if (state.kind !== "file" || devices.get(state.stamp.inode) !== state.stamp.device) return []
    return lstatSync(path, { throwIfNoEntry: false })?.ino === state.stamp.inode ? [path] : []
  })
}
