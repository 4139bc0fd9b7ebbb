/** An agent and a person at work in one folder, with the checkpoints kit around what the agent does, and a log. */

import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { type Footprint, runs, writes } from "#agent/words/footprint.ts"
import { answered, type AnyTool, type Outcome } from "#agent/words/tool.ts"
import { recordingFlags } from "#ground/sandbox/recording.ts"
import type { SnapshotLimits } from "#ground/snapshots/limits.ts"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import { excludedFolders } from "#ground/workspace/excluded-folders.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { checkpointsKit } from "#kits/checkpoints/kit.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { type Ids, seededIds } from "#lib/ids.ts"
import { temporaryFolder, type TemporaryFolder } from "../tmp.ts"

export interface UndoWorld extends AsyncDisposable {
  readonly root: string
  readonly store: string
  readonly folder: TemporaryFolder
  readonly kit: () => Checkpoints
  readonly log: () => readonly Entry[]
  readonly record: (body: EntryBody) => Entry
  /** A turn begins; gives the id of its prompt. */
  readonly prompt: () => string
  /** A call of the agent around something that changes files. */
  readonly act: (
    footprint: Footprint,
    change: (callId: string) => void | Promise<void>,
    signal?: AbortSignal,
  ) => Promise<Outcome | undefined>
  readonly edit: (path: string, change: () => void) => Promise<void>
  readonly shell: (command: string) => Promise<void>
  /** The process ends and another goes on with the log. */
  readonly reopen: (how?: "closed" | "killed", exclude?: readonly string[]) => Promise<void>
  readonly busy: (isBusy: boolean) => void
}

export interface UndoWorldOptions {
  readonly seed?: number
  readonly limits?: Partial<SnapshotLimits>
  /** For the snapshots: a slow disk is a clock that runs while they look. */
  readonly clock?: Clock
  /** Where a world was before; a new place by default. */
  readonly at?: TemporaryFolder
  /** What was recorded there. */
  readonly entries?: readonly Entry[]
  readonly onRecord?: (entry: Entry) => void
  /** The helper that records commands; without it everything is scanned around them. */
  readonly recorder?: string
  /** Folders below the root that a setting excludes. */
  readonly exclude?: readonly string[]
  /** Larger files are not copied before they are written. */
  readonly copiedBytes?: number
}

export function openUndoWorld(options: UndoWorldOptions = {}): UndoWorld {
  const { seed = 1, limits, at: folder = temporaryFolder(), onRecord, recorder } = options
  const root = folder.join("work")
  const store = folder.join("store")
  mkdirSync(root, { recursive: true })
  const ids: Ids = seededIds(seed)
  let entries: readonly Entry[] = options.entries ?? []
  let isBusy = false
  let kit = openKit(options.exclude)
  for (const entry of entries) kit.onEntry?.(entry)

  function record(body: EntryBody): Entry {
    const entry: Entry = { ...body, uuid: ids.uuid(), parentUuid: entries.at(-1)?.uuid ?? null, at: Date.now() }
    onRecord?.(entry)
    entries = [...entries, entry]
    kit.onEntry?.(entry)
    return entry
  }

  function openKit(exclude: readonly string[] = []): Checkpoints {
    const exclusions = excludedFolders(exclude, { cwd: root, home: folder.path }).folders
    const excludedPaths = exclusions.map(({ path }) => path)
    return checkpointsKit({
      open: async () =>
        openSnapshots({
          folder: store,
          roots: () => [root],
          excluded: [],
          exclusions: excludedPaths,
          clock: options.clock ?? systemClock,
          ids,
          pid: process.pid,
          ...(limits && { limits }),
        }),
      record: (body) => void record(body),
      sync: async () => {},
      isBusy: () => isBusy,
      show: (path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path),
      folder: store,
      exclusions,
      ...(recorder !== undefined && {
        recorder: {
          covers: async () => true,
          folder: join(store, "journals"),
          place: (journal) => ({
            folder: journal,
            roots: [root],
            except: [store, ...excludedPaths],
            copiedBytes: options.copiedBytes ?? 10_000_000,
          }),
        },
      }),
    })
  }

  async function act(
    footprint: Footprint,
    change: (callId: string) => void | Promise<void>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Outcome | undefined> {
    const callId = ids.uuid()
    const call = {
      callId,
      signal,
      progress: () => {},
      tool: { title: () => footprint.runs.join("; ") } as unknown as AnyTool,
      input: {},
      parsed: {},
      footprint,
    }
    return kit.middleware?.(call, async () => {
      await change(callId)
      return answered("done")
    })
  }

  return {
    root,
    store,
    folder,
    kit: () => kit,
    log: () => entries,
    record,
    prompt() {
      const promptId = ids.uuid()
      record({ kind: "turn_start", turnId: ids.uuid() })
      record({ kind: "prompt", promptId, content: [{ type: "text", text: "go on" }] })
      kit.beforePrompt(promptId)
      return promptId
    },
    act,
    async edit(path, change) {
      await act(writes(path), change)
    },
    async shell(command) {
      await act(runs(command), async (callId) => {
        const place = kit.recording(callId)?.journal()
        const recording = recorder === undefined || !place ? [] : [recorder, "record", ...recordingFlags(place), "--"]
        const argv = [...recording, "/bin/bash", "-c", command]
        await Bun.spawn(argv, { cwd: root, stdio: ["ignore", "ignore", "ignore"] }).exited
      })
    },
    async reopen(how = "closed", exclude = options.exclude) {
      if (how === "closed") await kit.close?.()
      kit = openKit(exclude)
      for (const entry of entries) kit.onEntry?.(entry)
    },
    busy: (value) => void (isBusy = value),
    async [Symbol.asyncDispose]() {
      await kit.close?.()
      folder[Symbol.dispose]()
    },
  }
}
