/** Takes snapshots at the right moments, attributes changes, and records them. One at a time. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind, onEntryOfAll } from "#agent/words/follower.ts"
import { stateIn } from "#ground/snapshots/tree.ts"
import { type SnapshotFailure, sayFailure } from "#ground/snapshots/failure.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import type { Snapshot } from "#ground/snapshots/snapshot-writer.ts"
import { optional } from "#lib/optional.ts"
import { failed, type Result } from "#lib/result.ts"
import { type JournaledCall, openJournals } from "./journals.ts"
import { type SnapshotMoment, openNotes } from "./notes.ts"
import { notKept } from "./words.ts"

export interface KeeperPorts {
  readonly open: () => Promise<Result<Snapshots, SnapshotFailure>>
  readonly record: (body: EntryBody) => void
  readonly isBusy: () => boolean
  /** The folder for journals of this session, if commands are recorded. */
  readonly journals?: string
  readonly show: (path: string) => string
}

export interface SnapshotKeeper {
  readonly store: () => Promise<Result<Snapshots, SnapshotFailure>>
  readonly hasBegun: () => boolean
  /** Whether everything was scanned once, so that each later scan finds what changed since. */
  readonly knowsAll: () => Promise<boolean>
  /** Why the last scan of everything was not whole; undefined if it was, null if there was none. */
  readonly gap: () => string | undefined | null
  readonly awaitPrompt: (promptId: string) => void
  /** Keeps the named files, or everything, and records it. A failure is shown to the user once, and returned. */
  readonly keep: (moment: SnapshotMoment) => Promise<Result<Snapshot, SnapshotFailure>>
  /** Keeps everything ahead of time, if nothing was kept yet; recorded by the first request, if nothing changed in the meantime. */
  readonly lookAhead: (signal: AbortSignal) => Promise<void>
  /** An agent's call that may change something is running, until the returned function is called. */
  readonly begin: () => () => void
  /** A folder for the journal of a call that is about to run; what it records is kept with the next snapshots. */
  readonly openJournal: (call: JournaledCall) => string
  /** A log that was read before, with the snapshots recorded since. */
  readonly upToDate: (log: readonly Entry[]) => readonly Entry[]
  readonly onEntry: OnEntry
  readonly close: () => Promise<void>
}

export function openKeeper({ open, record, isBusy, journals: folder, show }: KeeperPorts): SnapshotKeeper {
  const closing = new AbortController()
  const notes = openNotes({ record, show })
  const unfinished = openUnfinished()
  const recent = openRecent()
  const journals = openJournals({ folder, notes })
  let store: Promise<Result<Snapshots, SnapshotFailure>> | undefined
  let running = 0
  /** Whether an agent may have changed something since the last snapshot. */
  let isAgents = false
  /** Why the last scan of everything was not whole; null before the first. */
  let gap: string | undefined | null = null
  /** Calls that have ended without a snapshot after them. */
  let owed = 0
  const queue = openQueue()

  const isWorking = (): boolean => running > 0 || isBusy()
  const opened = (): Promise<Result<Snapshots, SnapshotFailure>> => (store ??= openOnce())

  async function openOnce(): Promise<Result<Snapshots, SnapshotFailure>> {
    const found = await open()
    const last = notes.last()
    if (!found.ok || last === undefined) return found
    await found.value.continueFrom(last)
    await journals.keep(found.value, closing.signal)
    if (unfinished.isAny()) await keepUnfinished(found.value)
    return found
  }

  /** A crash came between a change and the snapshot after it, so what is found now is an agent's change. */
  async function keepUnfinished(snapshots: Snapshots): Promise<void> {
    const kept = await takeSnapshot(snapshots, { when: "after", scope: "known" }, "agent", closing.signal)
    if (!kept.ok) return
    for (const callId of unfinished.calls())
      notes.write({ when: "after", ...optional("callId", callId), scope: "known" }, kept.value)
  }

  async function keepNow(moment: SnapshotMoment): Promise<Result<Snapshot, SnapshotFailure>> {
    const snapshots = await opened()
    if (!snapshots.ok) return snapshots
    const journaled = await journals.keep(snapshots.value, closing.signal, untilFor(moment))
    if (!journaled.ok) return journaled
    const byAgent = moment.when === "after" || ((isAgents || isWorking()) && !isFirstLook(snapshots.value, moment))
    const kept = await takeSnapshot(snapshots.value, moment, byAgent ? "agent" : "person", closing.signal)
    // Running calls keep changing things, and the next snapshot will find them.
    if (kept.ok) isAgents = isWorking() || owed > 0
    return kept
  }

  async function lookAhead(signal: AbortSignal): Promise<void> {
    if (notes.last() !== undefined || signal.aborted || closing.signal.aborted) return
    const snapshots = await opened()
    const taken = snapshots.ok
      ? await snapshots.value.saveAll("person", AbortSignal.any([signal, closing.signal]))
      : snapshots
    if (taken.ok) gap = taken.value.why
  }

  return {
    store: opened,
    lookAhead: (signal) => queue.add(() => lookAhead(signal).catch(() => {})),
    hasBegun: () => notes.last() !== undefined,
    async knowsAll() {
      const snapshots = await opened()
      return snapshots.ok && snapshots.value.now().complete
    },
    gap: () => gap,
    awaitPrompt: notes.awaitPrompt,
    begin() {
      running++
      isAgents = true
      let isOver = false
      return () => {
        if (!isOver) running--
        isOver = true
      }
    },
    keep(moment) {
      if (moment.when === "after") owed++
      return queue.add(async () => {
        if (moment.when === "after") owed--
        if (closing.signal.aborted) return failed({ kind: "aborted" } as const)
        const kept = await keepNow(moment).catch(mistake)
        const isWhole = moment.paths === undefined && moment.scope === undefined
        if (kept.ok) {
          if (isWhole) gap = kept.value.why
          notes.write(moment, kept.value)
        } else if (kept.failure.kind !== "aborted") {
          const why = sayFailure(kept.failure)
          if (isWhole) gap = why
          notes.writeFailure(moment, why)
          notes.note("warning", notKept(why))
        }
        return kept
      })
    },
    openJournal: journals.open,
    upToDate: recent.with,
    onEntry: onEntryOfAll(notes.onEntry, unfinished.take, recent.take),
    async close() {
      closing.abort()
      await queue.idle()
      const opening = await store
      if (opening?.ok) await opening.value.close()
      await journals.close()
    },
  }
}

/** Runs one at a time, in order. */
function openQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add<T>(act: () => Promise<T>): Promise<T> {
      const mine = last.then(act)
      last = mine.catch(() => {})
      return mine
    },
    idle: (): Promise<unknown> => last,
  }
}

function takeSnapshot(
  snapshots: Snapshots,
  { when, paths, how, scope, restored, signal: wanted }: SnapshotMoment,
  by: "agent" | "person",
  closing: AbortSignal,
): ReturnType<Snapshots["saveAll"]> {
  const signal = wanted ? AbortSignal.any([closing, wanted]) : closing
  if (paths) return snapshots.save(paths, by, signal, how, restored)
  const now = snapshots.now()
  if (scope === "known" && !now.complete) {
    // What somebody else changed meanwhile is seen at the latest when it is changed again, or rewound.
    const isWorthIt = when !== "prompt" || now.states.size <= mostAtPrompt
    return snapshots.save(isWorthIt ? [...now.states.keys()] : [], by, signal, "exact")
  }
  return snapshots.saveAll(by, signal)
}

/** A restore compares every stamp. */
const untilFor = ({ when, callId }: SnapshotMoment): "kept" | "removed" =>
  when === "before" && callId === undefined ? "removed" : "kept"

/** How many paths are looked at for each prompt. */
const mostAtPrompt = 2000

/** An agent changes nothing before its state is kept, so what is seen for the first time is nobody's change yet. */
function isFirstLook(snapshots: Snapshots, { when, paths }: SnapshotMoment): boolean {
  const now = snapshots.now()
  return when === "before" && paths !== undefined && paths.some((path) => stateIn(now, path) === undefined)
}

/** More than can be recorded between reading a log and restoring what it says. */
const mostRecent = 200

/** The newest entries of snapshots. */
function openRecent() {
  const entries: Entry[] = []
  return {
    take: byKind({
      snapshot(entry) {
        if (entries.push(entry) > mostRecent) entries.shift()
      },
    }),
    with(log: readonly Entry[]): readonly Entry[] {
      const known = new Set(log.map(({ uuid }) => uuid))
      return [...log, ...entries.filter(({ uuid }) => !known.has(uuid))]
    },
  }
}

/** What began to change something and has no snapshot after it. */
function openUnfinished() {
  const calls = new Set<string>()
  let isRestoring = false
  return {
    isAny: (): boolean => calls.size > 0 || isRestoring,
    /** Undefined for what no call began. */
    calls: (): readonly (string | undefined)[] => (calls.size > 0 ? [...calls] : [undefined]),
    take: byKind({
      head: () => void (isRestoring = false),
      snapshot({ when, callId }) {
        if (when === "restore") isRestoring = true
        if (when === "before" && callId !== undefined) calls.add(callId)
        if (when !== "after") return
        isRestoring = false
        if (callId !== undefined) calls.delete(callId)
      },
    }),
  }
}

/** Undo must never break the work, so its own bugs are reported like any other failure. */
const mistake = (error: unknown): Result<never, SnapshotFailure> =>
  failed({ kind: "other", message: error instanceof Error ? error.message : String(error) })
