/** Writes files from a snapshot to another place on disk, with their permissions and times. */

import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
  lstatSync,
} from "node:fs"
import { dirname } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ReadContent } from "./compare.ts"
import { failureOf, type SnapshotFailure } from "./failure.ts"
import { pause } from "./pause.ts"
import { hasReadContent, type PathState } from "./state.ts"

export interface Materialising {
  readonly from: string
  readonly to: string
  readonly content: ReadContent
}

const atOnce = 100

/** Replaces what exists at a path; paths without a state are left alone. */
export async function materialise(
  states: ReadonlyMap<string, PathState>,
  { from, to, content }: Materialising,
): Promise<Result<void, SnapshotFailure>> {
  const own = [...states]
    .filter(([path]) => path.startsWith(`${from}/`))
    .map(([path, state]) => ({ path: to + path.slice(from.length), state }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  try {
    for (const [index, { path, state }] of own.entries()) {
      if (index % atOnce === atOnce - 1) await pause()
      const put = putOne(path, state, { to, content })
      if (!put.ok) return put
    }
    // Last, so that a folder that cannot be written can be filled first.
    for (const { path, state } of own.toReversed())
      if (state.kind === "folder" && statsOf(path)?.isDirectory()) chmodSync(path, state.mode)
    return ok(undefined)
  } catch (error) {
    return failed(failureOf(error, to))
  }
}

function putOne(
  path: string,
  state: PathState,
  { to, content }: Pick<Materialising, "to" | "content">,
): Result<void, SnapshotFailure> {
  if (state.kind === "uncovered" || (state.kind === "file" && !hasReadContent(state))) return ok(undefined)
  const bytes = state.kind === "file" ? content(state.hash) : undefined
  if (bytes && !bytes.ok) return bytes
  const isFolder = statsOf(path)?.isDirectory() === true
  if (!(isFolder && state.kind === "folder")) rmSync(path, { recursive: true, force: true })
  if (state.kind === "absent") return ok(undefined)
  mkdirSync(dirname(path), { recursive: true })
  // States from different moments may put a file below what is now a link, which may lead anywhere.
  if (!`${realpathSync(dirname(path))}/`.startsWith(`${to}/`)) return ok(undefined)
  if (state.kind === "folder") mkdirSync(path, { recursive: true })
  if (state.kind === "link") {
    symlinkSync(state.target, path)
    lutimesSync(path, state.stamp.modifiedMs / 1000, state.stamp.modifiedMs / 1000)
  }
  if (state.kind === "file" && bytes) {
    writeFileSync(path, bytes.value, { flag: "wx", mode: 0o600 })
    chmodSync(path, state.mode)
    utimesSync(path, state.stamp.modifiedMs / 1000, state.stamp.modifiedMs / 1000)
  }
  return ok(undefined)
}

const statsOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
