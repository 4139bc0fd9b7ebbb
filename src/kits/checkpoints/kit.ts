/** The checkpoints kit: a snapshot before and after every call that may change something, and how to return to each. */

import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Call, Next } from "#agent/words/middleware.ts"
import { type Outcome, refused } from "#agent/words/tool.ts"
import { type SnapshotFailure, sayFailure } from "#ground/snapshots/failure.ts"
import type { Snapshots } from "#ground/snapshots/snapshots.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Checkpoints, RewindAsk, RewindPreview } from "./checkpoints.ts"
import { openGate, type SharedGate } from "./gate.ts"
import { gapsAfter, placeOfPrompt } from "./history.ts"
import { gapIn, type KeeperPorts, openKeeper, type SnapshotKeeper } from "./keeper.ts"
import type { SnapshotMoment } from "./notes.ts"
import type * as Reports from "./report.ts"
import type { Goal, RewindGround } from "./rewind.ts"
import { gapLine, notRunWords } from "./words.ts"

export interface CheckpointPorts extends KeeperPorts {
  /** Flushes what was recorded to disk; awaited before files are restored. */
  readonly sync: () => Promise<unknown>
  readonly folder: string
  /** Patches name files relative to this folder; by their short path when absent. */
  readonly root?: string
}

export function checkpointsKit(ports: CheckpointPorts): Checkpoints {
  const { record, sync, show, folder, root } = ports
  const keeper = openKeeper(ports)
  const gate = openGate()
  const ahead = new AbortController()
  const guard = openGuard(keeper, gate)
  const nameOf = (path: string): string =>
    root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : show(path)

  const report = async <T>(
    ask: (ground: Reports.ReportGround, from: typeof Reports) => Promise<Result<T, SnapshotFailure>>,
  ): Promise<Result<T, string>> => {
    // Before anything was kept there is nothing to tell, and no reason to create a store.
    const snapshots = keeper.hasBegun() ? await keeper.store() : ok(nothingKept)
    const told = snapshots.ok
      ? await ask({ snapshots: snapshots.value, show, name: nameOf }, await import("./report.ts"))
      : snapshots
    return told.ok ? told : failed(`${sayFailure(told.failure)}.`)
  }

  const rewindGround = (snapshots: Snapshots): RewindGround => ({
    snapshots,
    show,
    // Recorded, as others may have changed something in the folder since the last one.
    now: () => keeper.keep({ when: "before", scope: "known" }),
  })

  async function carryOut(goal: Goal): Promise<Result<FilesRestored, string>> {
    const snapshots = await keeper.store()
    if (!snapshots.ok) return failed(`${sayFailure(snapshots.failure)}.`)
    // Once the present is kept, changes are ours, not those of others working in the folder.
    let end = (): void => {}
    try {
      const { carryOutRewind } = await import("./rewind.ts")
      return await carryOutRewind(goal, {
        ...rewindGround(snapshots.value),
        async begun({ id }) {
          record({ kind: "snapshot", snapshotId: id, when: "restore", uncovered: [] })
          await sync()
          end = keeper.begin()
        },
        done(paths) {
          end()
          return keeper.keep({ when: "after", ...(snapshots.value.now().complete ? {} : { paths }) })
        },
      })
    } finally {
      end()
    }
  }

  async function preview(ask: RewindAsk): Promise<Result<RewindPreview, string>> {
    const [{ snapshotBefore }, { previewRewind }] = await Promise.all([import("./history.ts"), import("./rewind.ts")])
    const before = snapshotBefore(ask.log, ask.promptId)
    const gaps = gapsAfter(ask.log, placeOfPrompt(ask.log, ask.promptId)).map(gapLine)
    if (!before) return isPrompt(ask.log, ask.promptId) ? ok({ files: [], conflicts: [], uncovered: gaps }) : noPrompt
    const snapshots = await keeper.store()
    if (!snapshots.ok) return failed(`${sayFailure(snapshots.failure)}.`)
    const shown = await previewRewind(
      { ...ask, snapshotId: before.snapshotId, force: ask.force ?? false },
      rewindGround(snapshots.value),
    )
    return shown.ok ? ok({ ...shown.value, uncovered: [...shown.value.uncovered, ...gaps] }) : shown
  }

  return {
    name: "checkpoints",
    middleware(call, next) {
      if (!isReadOnly(call.footprint)) return runKept({ keeper, gate, guard }, call, next)
      ahead.abort()
      return next(call)
    },
    take: keeper.take,
    close: keeper.close,
    // If something was kept before, opening the store scans files, which must wait for the call.
    warm() {
      if (!keeper.hasBegun()) void gate.alone(() => keeper.lookAhead(ahead.signal))
    },
    beforePrompt(promptId) {
      keeper.awaitPrompt(promptId)
      // Until something changes, nothing has to be kept: the first change keeps it, for this prompt too.
      if (keeper.hasBegun()) void keeper.keep({ when: "prompt", scope: "known" })
    },
    relyOn: guard.relyOn,
    gaps: (log, promptId) => gapsAfter(log, placeOfPrompt(log, promptId)),
    points: (log, path) => report(async (ground, { pointsOf }) => ok(pointsOf(log, path, ground))),
    preview,
    async rewindFiles(ask) {
      const { snapshotBefore } = await import("./history.ts")
      const before = snapshotBefore(ask.log, ask.promptId)
      if (before) return carryOut({ ...ask, snapshotId: before.snapshotId, force: ask.force ?? false })
      return isPrompt(ask.log, ask.promptId) ? ok(undefined) : noPrompt
    },
    redoFiles: (ask) => carryOut({ ...ask, snapshotId: ask.files.from, force: ask.force ?? false }),
    summary: (log, turnId) => report(async (ground, { summaryOf }) => ok(summaryOf(log, turnId, ground))),
    diff: (log) => report((ground, { diffOf }) => diffOf(log, ground)),
    changes: (log, since) => report((ground, { changesOf }) => changesOf(log, since, ground)),
    patchOf: (log) => report((ground, { sessionPatch }) => sessionPatch(log, ground)),
    numbers: async () => {
      const snapshots = await keeper.store()
      return snapshots.ok ? ok({ folder, ...snapshots.value.numbers() }) : failed(`${sayFailure(snapshots.failure)}.`)
    },
  }
}

interface KeptParts {
  readonly keeper: SnapshotKeeper
  readonly gate: SharedGate
  readonly guard: Guard
}

async function runKept({ keeper, gate, guard }: KeptParts, call: Call, next: Next): Promise<Outcome> {
  const { callId, footprint } = call
  const isExact = footprint.writes.length > 0 && footprint.runs.length === 0
  const paths = isExact ? footprint.writes.map((path) => realPath(path)) : undefined
  const named = { callId, call: call.tool.title(call.parsed), ...given("paths", paths) }
  const leave = paths ? await gate.enter() : () => {}
  try {
    const why = gapIn(await guard.keepBefore({ when: "before", ...named }))
    if (guard.relied(callId) && why !== undefined) return refused(notRunWords(why))
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

interface Guard {
  readonly keepBefore: (moment: SnapshotMoment) => ReturnType<SnapshotKeeper["keep"]>
  readonly relyOn: Checkpoints["relyOn"]
  /** Whether the call was only allowed because it can be undone; asked once. */
  readonly relied: (callId: string) => boolean
}

function openGuard(keeper: SnapshotKeeper, gate: SharedGate): Guard {
  const relying = new Set<string>()

  /** The first full scan cannot tell an agent's changes from others, so none may be running meanwhile. */
  async function keepBefore(moment: SnapshotMoment): ReturnType<SnapshotKeeper["keep"]> {
    const keep = (): ReturnType<SnapshotKeeper["keep"]> => keeper.keep(moment)
    return moment.paths || (await keeper.knowsAll()) ? keep() : gate.alone(keep)
  }

  return {
    keepBefore,
    relied: (callId) => relying.delete(callId),
    async relyOn(callId) {
      // Whether it would be whole now is only known by looking; if the last one was, the snapshot before the call tells.
      if (keeper.gap() !== undefined) await keepBefore({ when: "before", isAwaited: true })
      const why = keeper.gap() ?? undefined
      if (why === undefined) relying.add(callId)
      return why
    },
  }
}

const gone: Result<never, SnapshotFailure> = failed({ kind: "missing", id: "" })
const nothingKept: Reports.ReportGround["snapshots"] = { load: () => gone, treeAt: () => gone, content: () => gone }

const isPrompt = (log: readonly Entry[], promptId: string): boolean =>
  log.some((entry) => entry.kind === "prompt" && entry.promptId === promptId)

const noPrompt: Result<never, string> = failed("There is no such prompt in this session.")
