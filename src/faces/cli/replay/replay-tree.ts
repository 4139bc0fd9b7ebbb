/** Whether the files of a replay ended as those of the original did: the same paths, permissions and contents. */

import { join } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import { absent, isSame, type PathState } from "#ground/snapshots/state.ts"
import type { SnapshotTree } from "#ground/snapshots/tree.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { snapshotIds } from "#faces/cli/sessions/read-store.ts"
import type { Scene } from "./replay-scene.ts"

export interface TreeReport {
  readonly files: number
  readonly digest: string
  readonly differences: readonly TreeDifference[]
}

export interface TreeDifference {
  readonly path: string
  readonly what: "missing" | "more" | "content" | "mode" | "kind"
}

export async function treeIn({
  base,
  workspace,
}: Pick<Scene, "base" | "workspace">): Promise<SnapshotTree | undefined> {
  const store = openSnapshots({
    folder: join(base, "check"),
    roots: () => [workspace],
    excluded: [],
    clock: systemClock,
    ids: systemIds,
    pid: process.pid,
    limits: { paths: 1_000_000 },
  })
  if (!store.ok) return undefined
  const taken = await store.value.saveAll("agent", new AbortController().signal)
  const tree = taken.ok ? { ...store.value.now() } : undefined
  await store.value.close()
  return tree && { complete: tree.complete, roots: [""], states: relative(tree.states, workspace) }
}

/** `beginning` is compared if the original has no snapshots because it changed nothing. */
export function compareTrees(
  { store }: Pick<Scene, "store">,
  { entries, cwd }: { readonly entries: readonly Entry[]; readonly cwd: string },
  beginning: SnapshotTree,
  end: SnapshotTree,
): TreeReport | undefined {
  const last = snapshotIds(entries).at(-1)
  const tree = last === undefined ? undefined : store.treeAt(last)
  if (tree && !tree.ok) return undefined
  const expected: SnapshotTree = tree
    ? { complete: tree.value.complete, roots: [""], states: relative(tree.value.states, cwd) }
    : { ...beginning, complete: true }
  const unknown = [...expected.states].flatMap(([path, { kind }]) => (kind === "uncovered" ? [path] : []))
  const isKnown = (path: string): boolean => !unknown.some((one) => path === one || path.startsWith(`${one}/`))
  const paths = [...new Set([...expected.states.keys(), ...(expected.complete ? end.states.keys() : [])])]
  const differences = paths
    .filter(isKnown)
    .sort()
    .flatMap((path) => {
      const what = difference(expected.states.get(path) ?? absent, end.states.get(path) ?? absent)
      return what ? [{ path, what }] : []
    })
  return { ...digestOf(end, isKnown), differences }
}

const relative = (states: ReadonlyMap<string, PathState>, root: string): ReadonlyMap<string, PathState> =>
  new Map(
    [...states].flatMap(([path, state]) =>
      path.startsWith(`${root}/`) ? [[path.slice(root.length + 1), state] as const] : [],
    ),
  )

function difference(was: PathState, is: PathState): TreeDifference["what"] | undefined {
  if (isSame(was, is)) return undefined
  if (is.kind === "absent") return "missing"
  if (was.kind === "absent") return "more"
  if (was.kind !== is.kind) return "kind"
  if (was.kind === "file" && is.kind === "file" && was.hash === is.hash) return "mode"
  return was.kind === "folder" ? "mode" : "content"
}

function digestOf({ states }: SnapshotTree, isKnown: (path: string) => boolean): Pick<TreeReport, "files" | "digest"> {
  const hasher = new Bun.CryptoHasher("sha256")
  let files = 0
  for (const [path, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isKnown(path) || (state.kind !== "file" && state.kind !== "link")) continue
    files++
    const content = state.kind === "file" ? `${state.mode.toString(8)} ${state.hash}` : `link ${state.target}`
    hasher.update(`${path}\0${content}\n`)
  }
  return { files, digest: hasher.digest("hex") }
}
