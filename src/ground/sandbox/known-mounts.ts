/** The mounts of a policy, which are only worked out again if the disk has changed where they depend on it. */

import { basename, dirname, join } from "node:path"
import { onceEach, onceFor } from "#lib/once-each.ts"
import { type Mount, type MountNeeds, mountsOf } from "./mounts.ts"
import { type Basis, kindOf, openPathKinds, realFolder } from "./path-kind.ts"
import type { Policy } from "./policy.ts"

interface KnownMounts {
  readonly basis: Basis
  readonly mounts: readonly Mount[]
}

/** Commands that run at once have files of their own each. */
const mostKnown = 32

export function openKnownMounts(now: () => number): (policy: Policy, needed: MountNeeds) => readonly Mount[] {
  const kinds = openPathKinds(now)
  // If one of these is replaced by a link, whatever is mounted there fails.
  const realFolders = onceEach(realFolder)
  const knownOf = onceFor((_policy: Policy) => new Map<string, KnownMounts>())

  return (policy, needed) => {
    const currentKinds = kinds()
    // Their folder changes with every command, so they are always looked at.
    const ours = new Map(
      [
        realFolders(policy.temp.folder),
        ...[...needed.reads, ...needed.writes].map((path) => join(realFolders(dirname(path)), basename(path))),
      ].map((path) => [path, kindOf(path)]),
    )
    const known = knownOf(policy)
    const key = JSON.stringify([needed, [...ours.values()]])
    const before = known.get(key)
    if (before && currentKinds.holds(before.basis)) return before.mounts
    const mounts = mountsOf(policy, needed, {
      kindOf: (path) => (ours.has(path) ? ours.get(path) : currentKinds.kindOf(path)),
      realFolder: realFolders,
    })
    if (known.size >= mostKnown) known.clear()
    known.set(key, { basis: currentKinds.basis(), mounts })
    return mounts
  }
}
