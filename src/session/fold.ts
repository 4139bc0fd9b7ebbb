/** How an entry becomes part of what a session is: whoever follows the log hears of it, in order. */

import type { Entry } from "#agent/words/entry.ts"
import { type Follower, refold, tell } from "#agent/words/follower.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"

export interface Fold {
  readonly fold: (entry: Entry) => void
  /** The conversation continues from an earlier place: what follows it is folded again, from these entries alone. */
  readonly goOnFrom: (path: readonly Entry[]) => void
}

/** After these the model no longer has before it all that it was shown. */
const takesAway: ReadonlySet<Entry["kind"]> = new Set(["shrink", "stub", "compaction", "head", "orphan"])

export function openFold({
  followers,
  workspace,
  pathTo,
  isAwake,
}: {
  /** Asked at the first entry: they are made by then. */
  readonly followers: () => readonly Follower[]
  readonly workspace: Workspace
  readonly pathTo: (uuid: string | null) => readonly Entry[]
  /** Whether what comes now happens, and is not read from the log. */
  readonly isAwake: () => boolean
}): Fold {
  let known: readonly Follower[] | undefined
  const all = (): readonly Follower[] => (known ??= followers())
  const goOnFrom = (path: readonly Entry[]): void => refold(all(), path)
  return {
    goOnFrom,
    fold(entry) {
      tell(all(), entry)
      if (entry.kind === "cwd") workspace.setCwd(entry.path)
      // What was read in there is no longer before the model, so it must be shown again when asked for.
      if (takesAway.has(entry.kind)) workspace.stamps.forgetShown()
      if (entry.kind === "head" && isAwake()) goOnFrom(pathTo(entry.to))
    },
  }
}
