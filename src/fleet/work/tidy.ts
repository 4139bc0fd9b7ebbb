/** Removes what a worker's machine no longer needs: clones that nobody uses, mirrors without clones, files of cancelled sessions. */

import { existsSync, readFileSync } from "node:fs"
import { lstat, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileHistory } from "#ground/settings/state-folder.ts"
import { borrowersOf } from "#ground/workspace/source/mirrors.ts"
import type { Sources } from "#ground/workspace/source/sources.ts"
import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import { removeErased } from "./remove-erased.ts"
import { sourceRef } from "./storing.ts"

export interface TidyParts {
  readonly store: Pick<FleetStore, "sessions" | "trees" | "erasing">
  readonly sources: Pick<Sources, "removeRef">
  /** Where sessions have their folders. */
  readonly folder: string
  readonly state: string
  /** Where mirrors are. */
  readonly cache: string
  readonly clock: Clock
  /** What was not used for so long goes. */
  readonly unusedMs: number
  /** Beyond this, clones go that were not used for the longest time. */
  readonly mostBytes: number
  readonly report: (text: string) => void
  readonly signal: AbortSignal
}

/** What a session would need again is in the database; only what can be made from that is removed. */
export async function tidyOnce(parts: TidyParts): Promise<void> {
  await removeErased(parts)
  await forgetCancelled(parts)
  await removeClones(parts)
  await removeMirrors(parts)
}

const atOnce = 50

async function forgetCancelled({ store, sources, unusedMs, report, signal }: TidyParts): Promise<void> {
  for (const { sessionId, opening, place } of await store.trees.unneeded(unusedMs, atOnce)) {
    if (signal.aborted) return
    const { workspace } = opening
    if (place === "source" && "git" in workspace) {
      const removed = await sources.removeRef(workspace.git.url, sourceRef(sessionId))
      if (!removed.ok) {
        report(`${sourceRef(sessionId)} cannot be removed from ${workspace.git.url}: ${removed.failure}`)
        continue
      }
    }
    await store.trees.forget(sessionId)
  }
}

interface Clone {
  readonly sessionId: string
  readonly own: string
  readonly usedAt: number
  readonly bytes: number
}

async function removeClones(parts: TidyParts): Promise<void> {
  const { folder, clock, unusedMs, mostBytes, signal } = parts
  const clones: Clone[] = []
  for (const sessionId of await namesIn(folder)) {
    if (signal.aborted) return
    const own = join(folder, sessionId)
    if (!existsSync(join(own, "keeper.git"))) continue
    const usedAt = (await timeOf(join(own, "fence"))) ?? (await timeOf(own)) ?? clock.now()
    clones.push({ sessionId, own, usedAt, bytes: await bytesBelow(own, signal) })
  }
  let total = clones.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const clone of clones.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (signal.aborted) return
    const isOld = clock.now() - clone.usedAt > unusedMs
    if ((isOld || total > mostBytes) && (await removeClone(parts, clone))) total -= clone.bytes
  }
}

/** Plans and saved outputs stay: they are small, and nobody else has them. */
async function removeClone({ store, state }: TidyParts, { sessionId, own }: Clone): Promise<boolean> {
  if (!(await isUnused(store, sessionId))) return false
  // Whoever takes the session from here on makes its clone again.
  await rm(join(own, "fence"), { force: true })
  if (!(await isUnused(store, sessionId))) return false
  for (const name of ["tree", "keeper.git", "kept"]) await rm(join(own, name), { recursive: true, force: true })
  await rm(fileHistory(state, join(own, "tree")), { recursive: true, force: true })
  return true
}

/** A session that this database does not know belongs to another. */
async function isUnused(
  { sessions, trees }: Pick<TidyParts["store"], "sessions" | "trees">,
  sessionId: string,
): Promise<boolean> {
  const session = await sessions.get(sessionId)
  if (!session || session.worker || !("git" in session.opening.workspace)) return false
  const tree = await trees.get(sessionId)
  if (tree?.behind !== undefined) return false
  return session.stage === "cancelled" || (tree?.files !== undefined && tree.beside !== undefined)
}

async function removeMirrors({ folder, cache, clock, unusedMs, signal }: TidyParts): Promise<void> {
  const used = new Set<string>()
  for (const name of await namesIn(folder))
    for (const line of textOf(join(folder, name, "keeper.git", "objects", "info", "alternates")).split("\n"))
      used.add(line.replace(/\/objects$/, ""))
  for (const name of await namesIn(cache)) {
    if (signal.aborted) return
    const mirror = join(cache, name)
    const usedAt = await timeOf(mirror)
    const isLent = (await borrowersOf(mirror)).some(([, tree]) => existsSync(tree))
    if (isLent || used.has(mirror) || usedAt === undefined || clock.now() - usedAt <= unusedMs) continue
    // Gone at once, for whoever looks for it meanwhile.
    const going = `${mirror}.going`
    await rename(mirror, going).catch(() => undefined)
    await rm(going, { recursive: true, force: true })
  }
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

const timeOf = async (path: string): Promise<number | undefined> => (await lstat(path).catch(() => undefined))?.mtimeMs

async function bytesBelow(folder: string, signal: AbortSignal): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (signal.aborted) return bytes
    const path = join(folder, entry.name)
    bytes += entry.isDirectory()
      ? await bytesBelow(path, signal)
      : ((await lstat(path).catch(() => undefined))?.size ?? 0)
  }
  return bytes
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
