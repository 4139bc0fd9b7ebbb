/** Makes ready what a replay plays in: the folder as it was before the first prompt, and a state folder of its own. */

import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { PathState } from "#ground/snapshots/state.ts"
import { sayFailure } from "#ground/snapshots/failure.ts"
import { materialise } from "#ground/snapshots/materialise.ts"
import type { Store } from "#ground/snapshots/store.ts"
import type { SnapshotTree } from "#ground/snapshots/tree.ts"
import { copyFolder, type CopyFailure, type CopyOptions } from "#ground/workspace/copy-folder.ts"
import { repositoryThen } from "#ground/workspace/git/git-then.ts"
import { removeFolder } from "#ground/workspace/remove-folder.ts"
import { treeOf } from "#kits/checkpoints/history.ts"
import { linkStatsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import type { ReadSession } from "#faces/cli/sessions/read-session.ts"
import { snapshotIds, storeOf } from "#faces/cli/sessions/read-store.ts"
import type { Where } from "#faces/cli/where.ts"

export interface Scene {
  /** Readable by its owner only. */
  readonly base: string
  readonly workspace: string
  readonly state: string
  readonly tmp: string
  readonly log: string
  readonly store: Store
  readonly history: string
  /** Folders of which only the name is kept; shown as they are now. */
  readonly uncovered: readonly string[]
  /** Differences to the original, for the user. */
  readonly notes: readonly string[]
  readonly remove: () => void
}

const limits: CopyOptions["limits"] = { files: 200_000, bytes: 4_000_000_000 }
/** Not copied from the state folder: other sessions, what can be made again, and the key. */
const ownOnly: ReadonlySet<string> = new Set(["projects", "file-history", "cache", "plans", "key.json", "replays"])

export async function prepareScene(parts: {
  readonly session: ReadSession
  readonly where: Where
  /** Start from this folder instead of the snapshots. */
  readonly from: string | undefined
  readonly signal: AbortSignal
}): Promise<Result<Scene, string>> {
  const { session, where, from, signal } = parts
  const { row, entries } = session
  const made = makeTemporaryFolder("codewright-replay-")
  if (!made.ok) return made
  const base = made.value
  const store = storeOf(entries, row.cwd, where.state)
  const places = {
    base,
    workspace: join(base, "workspace"),
    state: join(base, "state"),
    tmp: join(base, "tmp"),
    log: join(base, "original.jsonl"),
    history: join(base, "history"),
  }
  const scene = { ...places, store, remove: () => removeFolder(base) }
  const refuse = (why: string): Result<never, string> => {
    scene.remove()
    return failed(why)
  }
  mkdirSync(scene.tmp, { mode: 0o700 })
  mkdirSync(scene.history, { mode: 0o700 })
  copyFileSync(row.path, scene.log)
  const [first] = snapshotIds(entries)
  const tree = from === undefined && first !== undefined ? treeOf(first, entries, store) : undefined
  if (tree && !tree.ok)
    return refuse(
      `The original files cannot be restored: ${sayFailure(tree.failure)}. Use --workspace with a folder to start from.`,
    )
  const laid = await layWorkspace(scene, { cwd: row.cwd, from, tree: tree?.value, signal })
  if (!laid.ok) return refuse(laid.failure)
  if (from === undefined) repositoryThen(scene.workspace, entries[0]?.at ?? 0)
  const kept = await copyState(scene, where.state, basename(dirname(row.path)), signal)
  return kept.ok ? ok({ ...scene, ...laid.value }) : refuse(kept.failure)
}

async function layWorkspace(
  { workspace, store }: Pick<Scene, "workspace" | "store">,
  options: {
    readonly cwd: string
    readonly from: string | undefined
    readonly tree: SnapshotTree | undefined
    readonly signal: AbortSignal
  },
): Promise<Result<Pick<Scene, "uncovered" | "notes">, string>> {
  const { cwd, from, tree, signal } = options
  const states: ReadonlyMap<string, PathState> = tree?.states ?? new Map()
  const uncovered = [...states].flatMap(([path, state]) =>
    state.kind === "uncovered" && path.startsWith(`${cwd}/`) ? [{ path, why: state.why }] : [],
  )
  const open = uncovered.filter(({ path }) => isFolder(path)).map(({ path }) => path)
  const source = from ?? cwd
  const notes: string[] = []
  if (tree?.complete) {
    mkdirSync(workspace, { mode: 0o700 })
    const wanted = [join(cwd, ".git"), ...uncovered.filter(({ path }) => !open.includes(path)).map(({ path }) => path)]
    for (const path of wanted.filter((one) => existsSync(one))) {
      const copied = await copyFolder(path, workspace + path.slice(cwd.length), { limits, leaves: () => false, signal })
      if (!copied.ok) return failed(sayCopy(copied.failure, path))
    }
  } else {
    if (!isFolder(source))
      return failed(`The folder ${source} does not exist. Use --workspace with a folder to start from.`)
    const leaves = (path: string): boolean => open.includes(path)
    const copied = await copyFolder(source, workspace, { limits, leaves, signal })
    if (!copied.ok) return failed(sayCopy(copied.failure, source))
    if (copied.value.length > 0) notes.push(`Left out, because they cannot be copied: ${copied.value.join(", ")}.`)
    if (from === undefined)
      notes.push(
        tree
          ? "The snapshots contain only edited files; all other files are as they are now."
          : "The session has no snapshots, so the replay starts from the folder as it is now.",
      )
  }
  const laid = await materialise(states, { from: cwd, to: workspace, content: store.content })
  if (!laid.ok) return failed(`The original files cannot be restored: ${sayFailure(laid.failure)}.`)
  for (const path of open) mkdirSync(workspace + path.slice(cwd.length), { recursive: true })
  if (uncovered.length > 0)
    notes.push(
      `Without snapshots, so as they are now: ${uncovered.map(({ path, why }) => `${path.slice(cwd.length + 1)} (${why})`).join(", ")}.`,
    )
  const outside = [...states].filter(([path, { kind }]) => !path.startsWith(`${cwd}/`) && kind !== "folder")
  if (outside.length > 0)
    notes.push(`The session also changed ${outside.length} files outside its folder; they are not part of a replay.`)
  return ok({ uncovered: open, notes })
}

/** The user's own setup applies in a replay too; what other sessions left does not. */
async function copyState(
  { state }: Pick<Scene, "state">,
  from: string,
  slug: string,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  mkdirSync(state, { mode: 0o700 })
  const leaves = (path: string): boolean =>
    (dirname(path) === from && ownOnly.has(basename(path))) || path.endsWith(".lock")
  const copied = await copyFolder(from, state, { limits, leaves, signal })
  if (!copied.ok) return failed(sayCopy(copied.failure, from))
  const notes = join(from, "projects", slug, "memory")
  if (!isFolder(notes)) return ok(undefined)
  mkdirSync(join(state, "projects", slug), { recursive: true, mode: 0o700 })
  const noted = await copyFolder(notes, join(state, "projects", slug, "memory"), { limits, leaves, signal })
  return noted.ok ? ok(undefined) : failed(sayCopy(noted.failure, notes))
}

const isFolder = (path: string): boolean => linkStatsOf(path)?.isDirectory() === true

function sayCopy(failure: CopyFailure, path: string): string {
  switch (failure.kind) {
    case "too_large":
      return `${path} is too large to be copied (more than ${failure.limits.files} files or ${failure.limits.bytes / 1e9} GB). Use --workspace with a smaller copy.`
    case "aborted":
      return "Interrupted."
    case "other":
      return `${path} could not be copied: ${failure.message}`
  }
}
