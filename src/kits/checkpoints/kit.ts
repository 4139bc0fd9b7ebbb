/** The checkpoints kit: a snapshot before and after every call that may change something, and how to return to each. See decision 101. */

import { existsSync } from "node:fs"
import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Call, Next } from "#agent/words/middleware.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import { type SnapshotFailure, sayFailure } from "#ground/snapshots/failure.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import type { Snapshot } from "#ground/snapshots/snapshot-writer.ts"
import type { ExcludedFolder } from "#ground/workspace/excluded-folders.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { notKeptWords } from "#ground/workspace/processes/process-groups.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Checkpoints } from "./checkpoints.ts"
import { openGate } from "./gate.ts"
import { gapsAfter, placeOfPrompt } from "./history.ts"
import { type KeeperPorts, openKeeper, type SnapshotKeeper } from "./keeper.ts"
import type { SnapshotMoment } from "./notes.ts"
import { type CommandRecorder, openRecordedCalls } from "./recorded-calls.ts"
import type * as Reports from "./report.ts"
import { openReviewNote } from "./review-note.ts"
import type { Goal, RestoreMoments, RewindGround } from "./rewind.ts"
import { excludedLine, gapLine } from "./words.ts"

export interface CheckpointPorts extends KeeperPorts {
  /** Flushes what was recorded to disk; awaited before files are restored. */
  readonly sync: () => Promise<unknown>
  readonly folder: string
  /** Records what commands change; without it snapshots are taken around them. */
  readonly recorder?: CommandRecorder
  /** Patches name files relative to this folder; by their short path when absent. */
  readonly root?: string
  /** Folders that a setting excludes: named in each preview. */
  readonly exclusions?: readonly ExcludedFolder[]
}

export function checkpointsKit(ports: CheckpointPorts): Checkpoints {
  const { record, sync, show, folder, root, recorder, exclusions = [] } = ports
  const keeper = openKeeper({ ...ports, ...optional("journals", recorder?.folder) })
  const gate = openGate()
  const ahead = new AbortController()
  /** Calls that are only allowed because they can be undone. */
  const relying = new Set<string>()
  const nameOf = (path: string): string =>
    root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : show(path)

  const report = openReport(keeper, { show, name: nameOf })

  const rewindGround = (snapshots: Snapshots): RewindGround => ({
    snapshots,
    show,
    // Recorded, as others may have changed something in the folder since the last one.
    now: () => keeper.keep({ when: "before", scope: "known" }),
    upToDate: keeper.upToDate,
  })

  const restoring = openRestoring({ record, sync }, keeper, rewindGround)
  const carryOut = (goal: Goal): Promise<Result<FilesRestored, string>> =>
    restoring(async (ground) => (await import("./rewind.ts")).carryOutRewind(goal, ground))
  const note = openReviewNote()

  /** The first full scan cannot tell an agent's changes from others, so none may be running meanwhile. */
  async function keepBefore(moment: SnapshotMoment): ReturnType<typeof keeper.keep> {
    const keep = (): ReturnType<typeof keeper.keep> => keeper.keep(moment)
    return moment.paths || (await keeper.knowsAll()) ? keep() : gate.alone(keep)
  }

  const scan = async (moment: SnapshotMoment): Promise<string | undefined> => gapOf(await keepBefore(moment))
  const recorded = openRecordedCalls({ recorder, keeper, relying, scan, show })

  async function relyOn(callId: string, command: string, signal: AbortSignal): Promise<string | undefined> {
    if (await recorded.covers([command])) {
      const file = recorded.stoppedBy(command)
      if (file === undefined) relying.add(callId)
      return file
    }
    // Whether it would be whole now is only known by looking; if the last one was, the snapshot before the call will tell.
    if (keeper.gap() !== undefined) await keepBefore({ when: "before", signal })
    const why = keeper.gap() ?? undefined
    if (why === undefined) relying.add(callId)
    return why
  }

  async function runKept(call: Call, next: Next): Promise<Outcome> {
    const { callId, footprint } = call
    const isExact = footprint.writes.length > 0 && footprint.runs.length === 0
    const paths = isExact ? footprint.writes.map((path) => realPath(path)) : undefined
    const named = { callId, call: call.tool.title(call.parsed), ...optional("paths", paths) }
    const leave = paths ? await gate.enter() : () => {}
    try {
      const before = await keepBefore({ when: "before", ...named, signal: call.signal })
      if (call.signal.aborted)
        return interrupted(`Interrupted by ${interrupterOf(call.signal)} before it ran.`, "before")
      const why = gapOf(before)
      if (relying.delete(callId) && why !== undefined) return refused(notKeptWords(why))
      const end = keeper.begin()
      try {
        return await next(call)
      } finally {
        end()
        await keeper.keep({ when: "after", ...named })
      }
    } finally {
      leave()
    }
  }

  const run = async (call: Call, next: Next): Promise<Outcome> =>
    (await recorded.covers(call.footprint.runs)) ? recorded.run(call, next) : runKept(call, next)

  return {
    name: "checkpoints",
    exclusions,
    middleware(call, next) {
      if (!isReadOnly(call.footprint)) return run(call, next)
      ahead.abort()
      return next(call)
    },
    onEntry: keeper.onEntry,
    close: keeper.close,
    // If something was kept before, opening the store scans files, which must wait for the call.
    warm() {
      // With a recorder nothing has to be scanned.
      void recorded.covers([""]).then((isCovered) => {
        if (!isCovered && !keeper.hasBegun()) void gate.alone(() => keeper.lookAhead(ahead.signal))
      })
    },
    beforePrompt(promptId) {
      keeper.awaitPrompt(promptId)
      // Until something changes, nothing has to be kept: the first change keeps it, for this prompt too.
      if (keeper.hasBegun()) void keeper.keep({ when: "prompt", scope: "known" })
    },
    relyOn,
    recording: recorded.recording,
    gaps: (log, promptId) => gapsAfter(log, placeOfPrompt(log, promptId)),
    preview: openPreview(keeper, rewindGround, exclusions),
    async rewindFiles(ask) {
      const { snapshotBefore } = await import("./history.ts")
      const before = snapshotBefore(ask.log, ask.promptId)
      if (before) return carryOut({ ...ask, snapshotId: before.snapshotId, force: ask.force ?? false })
      return isPrompt(ask.log, ask.promptId) ? ok(undefined) : noPrompt
    },
    redoFiles: (ask) => carryOut({ ...ask, snapshotId: ask.files.from, force: ask.force ?? false }),
    carryOutReview: (goal) => restoring(async (ground) => (await import("./review.ts")).carryOutReview(goal, ground)),
    ...note,
    ...reportsOf(report),
    changedIn: (snapshotId) => changedIn(keeper, snapshotId),
    numbers: async () => {
      const snapshots = await keeper.store()
      return snapshots.ok ? ok({ folder, ...snapshots.value.numbers() }) : failed(`${sayFailure(snapshots.failure)}.`)
    },
  }
}

const openPreview =
  (
    keeper: SnapshotKeeper,
    rewindGround: (snapshots: Snapshots) => RewindGround,
    exclusions: readonly ExcludedFolder[],
  ): Checkpoints["preview"] =>
  async (ask) => {
    const [{ snapshotBefore }, { previewRewind }] = await Promise.all([import("./history.ts"), import("./rewind.ts")])
    const before = snapshotBefore(ask.log, ask.promptId)
    const gaps = gapsAfter(ask.log, placeOfPrompt(ask.log, ask.promptId)).map(gapLine)
    const never = exclusions.flatMap(({ name, path }) => (existsSync(path) ? [excludedLine(name)] : []))
    const uncovered = (found: readonly string[]): readonly string[] => [...new Set([...never, ...found]), ...gaps]
    if (!before)
      return isPrompt(ask.log, ask.promptId) ? ok({ files: [], conflicts: [], uncovered: uncovered([]) }) : noPrompt
    const snapshots = await keeper.store()
    if (!snapshots.ok) return failed(`${sayFailure(snapshots.failure)}.`)
    const goal = { ...ask, snapshotId: before.snapshotId, force: ask.force ?? false }
    const found = await previewRewind(goal, rewindGround(snapshots.value))
    return found.ok ? ok({ ...found.value, uncovered: uncovered(found.value.uncovered) }) : found
  }

async function changedIn({ store }: SnapshotKeeper, snapshotId: string): Promise<readonly string[]> {
  const snapshots = await store()
  const manifest = snapshots.ok ? snapshots.value.load(snapshotId) : snapshots
  return manifest.ok ? [...manifest.value.changed.keys()] : []
}

type Restoring = <T>(
  act: (ground: RewindGround & RestoreMoments) => Promise<Result<T, string>>,
) => Promise<Result<T, string>>

function openRestoring(
  { record, sync }: Pick<CheckpointPorts, "record" | "sync">,
  keeper: SnapshotKeeper,
  rewindGround: (snapshots: Snapshots) => RewindGround,
): Restoring {
  return async (act) => {
    const snapshots = await keeper.store()
    if (!snapshots.ok) return failed(`${sayFailure(snapshots.failure)}.`)
    // Once the present is kept, changes are ours, not those of others working in the folder.
    let end = (): void => {}
    try {
      return await act({
        ...rewindGround(snapshots.value),
        async begun({ id }) {
          record({ kind: "snapshot", snapshotId: id, when: "restore", uncovered: [] })
          await sync()
          end = keeper.begin()
        },
        done(restored) {
          end()
          const exact = { paths: [...restored.keys()], how: "exact", restored } as const
          return keeper.keep({ when: "after", ...(snapshots.value.now().complete ? {} : exact) })
        },
      })
    } finally {
      end()
    }
  }
}

type AskReport = <T>(
  ask: (ground: Reports.ReportGround, from: typeof Reports) => Promise<Result<T, SnapshotFailure>>,
) => Promise<Result<T, string>>

function openReport(keeper: SnapshotKeeper, names: Pick<Reports.ReportGround, "show" | "name">): AskReport {
  return async (ask) => {
    // Before anything was kept there is nothing to tell, and no reason to create a store.
    const snapshots = keeper.hasBegun() ? await keeper.store() : ok(nothingKept)
    const report = snapshots.ok
      ? await ask({ snapshots: snapshots.value, ...names }, await import("./report.ts"))
      : snapshots
    return report.ok ? report : failed(`${sayFailure(report.failure)}.`)
  }
}

type ReportName = "points" | "summary" | "diff" | "changes" | "review" | "written" | "patchOf"

const reportsOf = (report: AskReport): Pick<Checkpoints, ReportName> => ({
  points: (log, path) => report(async (ground, { pointsOf }) => ok(pointsOf(log, path, ground))),
  summary: (log, turnId) => report(async (ground, { summaryOf }) => ok(summaryOf(log, turnId, ground))),
  diff: (log) => report((ground, { diffOf }) => diffOf(log, ground)),
  changes: (log, since) => report((ground, { changesOf }) => changesOf(log, since, ground)),
  review: (log, scope, patches) =>
    report(async (ground) => (await import("./review.ts")).reviewOf(log, scope, ground, patches)),
  written: (log) => report(async (ground, { writtenLines }) => writtenLines(log, ground)),
  patchOf: (log) => report((ground, { sessionPatch }) => sessionPatch(log, ground)),
})

const gapOf = (kept: Result<Snapshot, SnapshotFailure>): string | undefined =>
  kept.ok ? kept.value.why : sayFailure(kept.failure)

const gone: Result<never, SnapshotFailure> = failed({ kind: "missing", id: "" })
const nothingKept: Reports.ReportGround["snapshots"] = { load: () => gone, treeAt: () => gone, content: () => gone }

const isPrompt = (log: readonly Entry[], promptId: string): boolean =>
  log.some((entry) => entry.kind === "prompt" && entry.promptId === promptId)

const noPrompt: Result<never, string> = failed("There is no such prompt in this session.")
