/**
 * The snapshot store of one project: takes snapshots, compares them, and restores files. Nothing throws; failures are
 * values.
 */

import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { cleanWithin } from "./clean.ts"
import { readMounts } from "./mounts.ts"
import { openExclusions } from "./exclusions.ts"
import { openRoots, type SnapshotTree } from "./tree.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { defaultLimits, type SnapshotLimits } from "./limits.ts"
import type { Manifest } from "./manifest.ts"
import { isAlive, openOwner } from "./owners.ts"
import { temporarySuffix } from "./pack.ts"
import type { RestorePlan } from "./plan-restore.ts"
import { dropTemporary, type Restored, restore } from "./restore.ts"
import { isNamed, type PathState } from "./state.ts"
import { openStore } from "./store.ts"
import { openTaker, type SnapshotWriter, type SnapshotWriterParts } from "./snapshot-writer.ts"

export interface Snapshots extends Pick<SnapshotWriter, "saveAll" | "save" | "saveTouched"> {
  /** Continues from a snapshot of the same session from before it was resumed. */
  readonly continueFrom: (id: string) => Promise<Result<void, SnapshotFailure>>
  /** Takes over what a journal that has ended lent. */
  readonly takeOver: (journal: string) => void
  readonly load: (id: string) => Result<Manifest, SnapshotFailure>
  readonly treeAt: (id: string) => Result<SnapshotTree, SnapshotFailure>
  /** Whether a state can be restored. */
  readonly isKept: (state: PathState) => boolean
  /** The folder that a path is, or lies in, if a setting excludes it from undo. */
  readonly excludedAt: (path: string) => string | undefined
  readonly now: () => SnapshotTree
  readonly content: (hash: string) => Result<Uint8Array, SnapshotFailure>
  /** `made`: contents by their hash that no snapshot has. */
  readonly restore: (
    plan: RestorePlan,
    signal: AbortSignal,
    made?: ReadonlyMap<string, Uint8Array>,
  ) => Promise<Result<Restored, SnapshotFailure>>
  /**
   * Removes what none of the given snapshots needs and, beyond the cap, the oldest of those. Does nothing while
   * another session has the store open.
   */
  readonly clean: (keep: ReadonlySet<string>) => Promise<Result<void, SnapshotFailure>>
  readonly numbers: () => { readonly snapshots: number; readonly bytes: number }
  readonly close: () => Promise<void>
}

export interface SnapshotOptions extends Pick<SnapshotWriterParts, "listed"> {
  readonly folder: string
  /** Called before every scan: folders may be added in the meantime. */
  readonly roots: () => readonly string[]
  /** Folders below the roots that are never scanned, such as the state folder. */
  readonly excluded: readonly string[]
  /** Folders that a setting excludes from undo: named as not covered, and never changed. Real paths. */
  readonly exclusions?: readonly string[]
  readonly clock: Clock
  readonly ids: Ids
  readonly pid: number
  readonly limits?: Partial<SnapshotLimits>
}

const pollMs = 20
/** How much of a full store a clean-up leaves. */
const roomy = 0.8

export function openSnapshots(options: SnapshotOptions): Result<Snapshots, SnapshotFailure> {
  const { folder, clock, ids, pid } = options
  try {
    const mounts = readMounts()
    const roots = openRoots(options.roots, mounts)
    roots.now()
    const limits = { ...defaultLimits, ...options.limits }
    const token = ids.uuid().slice(0, 8)
    const owner = openOwner({ folder, pid, token })
    dropLeftovers(folder, owner.isAlone())
    const store = openStore(folder)
    const exclusions = openExclusions(options.exclusions ?? [])
    const taker = openTaker({
      exclusions,
      store,
      roots,
      mounts,
      excluded: [...options.excluded.map(realOrSame), realpathSync.native(folder)],
      limits,
      clock,
      ids,
      // Beyond the cap the oldest are removed, whichever session they belong to.
      makeRoom: () =>
        owner.alone(() =>
          clean(
            store
              .ids()
              .filter((id) => id !== taker.lastId())
              .concat(taker.lastId() ?? []),
          ),
        ),
      ...optional("listed", options.listed),
    })
    async function clean(wanted: readonly string[]): Promise<void> {
      await cleanWithin(store, wanted, limits.storeBytes * roomy)
      taker.recount()
    }
    const one = inTurn(async (signal) => {
      while (owner.mustWait() && !signal.aborted) await clock.sleep(pollMs, signal)
    })
    return ok({
      saveAll: (by, signal) => one(signal, () => taker.saveAll(by, signal)),
      save: (paths, by, signal, how, restored) => one(signal, () => taker.save(paths, by, signal, how, restored)),
      saveTouched: (touched, signal) => one(signal, () => taker.saveTouched(touched, signal)),
      continueFrom: (id) => one(unending, async () => taker.continueFrom(id)),
      takeOver: store.ownFiles.takeOver,
      isKept: (state) =>
        state.kind !== "file" || !isNamed(state.hash) || store.ownFiles.find(state.hash, state.stamp) !== undefined,
      load: store.load,
      treeAt: store.treeAt,
      excludedAt: exclusions.holding,
      now: taker.now,
      content: store.content,
      restore: (plan, signal, made) =>
        one(signal, async () => {
          const intent = join(folder, `restoring-${pid}-${token}.json`)
          const announce = (temporaries: readonly string[]): void =>
            writeFileSync(intent, JSON.stringify(temporaries), { mode: 0o600, flush: true })
          const content = (hash: string): Result<Uint8Array, SnapshotFailure> => {
            const bytes = made?.get(hash)
            return bytes ? ok(bytes) : store.content(hash)
          }
          const isExcluded = (path: string): boolean => exclusions.holding(path) !== undefined
          const parts = { content, ownFiles: store.ownFiles, token: ids.uuid(), announce, isExcluded, clock, signal }
          const restoring = restore(plan, parts)
          return orFailure(restoring, folder).finally(() => rmSync(intent, { force: true }))
        }),
      clean: (keep) =>
        one(unending, async () => {
          const wanted = (): readonly string[] => store.ids().filter((id) => keep.has(id) || id === taker.lastId())
          return orFailure(
            owner.alone(() => clean(wanted())).then(() => ok(undefined)),
            folder,
          )
        }),
      numbers: () => ({ snapshots: store.ids().length, bytes: store.bytes() }),
      close: () =>
        one(unending, async () => {
          owner.close()
          return ok(undefined)
        }).then(() => undefined),
    })
  } catch (error) {
    return failed(failureOf(error, folder))
  }
}

const orFailure = <T>(act: Promise<Result<T, SnapshotFailure>>, folder: string): Promise<Result<T, SnapshotFailure>> =>
  act.catch((error: unknown) => failed(failureOf(error, folder)))

const unending: AbortSignal = new AbortController().signal

/** Runs one act at a time, in order. */
function inTurn(ready: (signal: AbortSignal) => Promise<void>) {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(
    signal: AbortSignal,
    act: () => Promise<Result<T, SnapshotFailure>>,
  ): Promise<Result<T, SnapshotFailure>> => {
    const mine = last.then(async (): Promise<Result<T, SnapshotFailure>> => {
      await ready(signal)
      return signal.aborted ? failed({ kind: "aborted" }) : act()
    })
    last = mine.catch(() => {})
    return mine
  }
}

/** Leftovers of a crash: temporary files of restores and, if no one else can be writing one, half a snapshot. */
function dropLeftovers(folder: string, isAlone: boolean): void {
  for (const name of readdirSync(folder)) {
    if (isAlone && name.endsWith(temporarySuffix)) rmSync(join(folder, name), { force: true })
    const pid = Number(/^restoring-(\d+)-\w+\.json$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    for (const path of pathsIn(join(folder, name))) dropTemporary(path)
    rmSync(join(folder, name), { force: true })
  }
}

function pathsIn(file: string): string[] {
  try {
    const list: unknown = JSON.parse(readFileSync(file, "utf8"))
    return Array.isArray(list) ? list.filter((path) => typeof path === "string") : []
  } catch {
    return []
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
