/** Stores what a scan of the files found, as the difference to the previous snapshot. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { lazily } from "#lib/lazily.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { gather, type GatherOptions } from "./gather.ts"
import { advance, type KnownTree, knownOf } from "./known.ts"
import type { SnapshotLimits } from "./limits.ts"
import type { Author } from "./manifest.ts"
import type { PackWriter } from "./pack.ts"
import { isKeptLate, isSame, type PathState } from "./state.ts"
import { snapshotId, type Store } from "./store.ts"
import { isSameList, stateIn, type SnapshotTree } from "./tree.ts"
import type { FoundPath } from "./walk.ts"

export interface Keeper {
  /** The new state; the previous one when nothing differs. */
  readonly keep: (
    base: KnownTree,
    found: ReadonlyMap<string, FoundPath | undefined>,
    keeping: Keeping,
  ) => Promise<Result<KnownTree, SnapshotFailure>>
  /** The state at an earlier snapshot, which the next one will be a difference to. */
  readonly from: (id: string) => Result<KnownTree, SnapshotFailure>
  readonly chain: () => number
}

export interface Keeping
  extends Pick<SnapshotTree, "roots">, Pick<GatherOptions, "savedAt" | "isMade" | "isOwn" | "restored" | "isExact"> {
  readonly by: Author
  readonly complete: boolean
  readonly signal: AbortSignal
}

/** After so many differences a full snapshot is stored, so that looking one up is never slow. */
const longestChain = 200

export function openKeeper({
  store,
  limits,
  clock,
  ids,
}: {
  readonly store: Store
  readonly limits: SnapshotLimits
  readonly clock: Clock
  readonly ids: Ids
}): Keeper {
  let chain = 0
  let lastAt = 0

  async function keep(
    base: KnownTree,
    found: ReadonlyMap<string, FoundPath | undefined>,
    { by, complete, roots, signal, ...how }: Keeping,
  ): Promise<Result<KnownTree, SnapshotFailure>> {
    const at = Math.max(lastAt + 1, clock.now())
    const newId = lazily(() => snapshotId(at, ids.uuid()))
    let open: PackWriter | undefined
    const writer = (): PackWriter => (open ??= store.writer(newId()))
    try {
      const { changed, renewed } = await gather(found, {
        before: base.states,
        has: (hash) => base.hashes.has(hash) || store.has(hash),
        writer,
        ...how,
        lend: store.ownFiles.lend,
        limits,
        clock,
        signal,
      })
      if (signal.aborted) {
        open?.drop()
        return failed({ kind: "aborted" })
      }
      for (const [path, state] of renewed) base.states.set(path, state)
      const real = complete && base.complete ? withoutSame(changed, base) : changed
      const isAsWide = base.complete === complete && (!complete || isSameList(base.roots, roots))
      if (real.size === 0 && base.id !== null && isAsWide) {
        open?.drop()
        return ok(base)
      }
      const id = newId()
      const isKey = base.id !== null && chain >= longestChain
      const all = isKey ? advance(knownOf(base.id, base), { id, complete, roots, changed: real }).states : undefined
      const manifest = { id, base: base.id, by, at, roots, complete, changed: real, ...optional("all", all) }
      const written = await store.finish(writer(), manifest)
      if (!written.ok) return written
      chain = isKey ? 1 : chain + 1
      lastAt = at
      return ok(advance(base, { id, complete, roots, changed: real }))
    } catch (error) {
      open?.drop()
      return failed(failureOf(error, store.folder))
    }
  }

  return {
    keep,
    from(id) {
      const tree = store.treeAt(id)
      if (!tree.ok) return tree
      chain = store.depthOf(id)
      return ok(knownOf(id, tree.value))
    },
    chain: () => chain,
  }
}

/** A path that was absent without being listed is unchanged if it is still absent. */
function withoutSame(changed: ReadonlyMap<string, PathState>, before: SnapshotTree): ReadonlyMap<string, PathState> {
  return new Map(
    [...changed].filter(([path, state]) => {
      const known = stateIn(before, path)
      return known === undefined || !isSame(known, state) || isKeptLate(known, state)
    }),
  )
}
