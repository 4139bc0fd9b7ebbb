/** Carries out what the plan for the state folder says: old files, and what is too much in all. */

import { readdirSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { removeCatalogFile } from "#ground/transcript/catalog-file.ts"
import { takeLock } from "#ground/transcript/lock.ts"
import { quietly } from "#lib/quietly.ts"
import { dropSnapshots, sessionSnapshots } from "./forget-snapshots.ts"
import { type StorageLimits, storagePlan } from "./storage-plan.ts"
import { outputFolders, type SessionUse, storageUse } from "./storage-use.ts"

export async function cleanStorage(state: string, limits: StorageLimits): Promise<void> {
  const pid = process.pid
  const mentioned = await sessionSnapshots(state)
  const use = storageUse(state, mentioned, { pid, without: "worktrees" })
  const plan = storagePlan(use, limits)
  for (const { path } of [...plan.files, ...plan.caches]) {
    if (path.endsWith(".sqlite")) removeCatalogFile(path)
    else quietly(() => rmSync(path, { force: true }))
    // Runs of workflows and variables of hooks have a folder each.
    if (dirname(dirname(dirname(path))) === state) quietly(() => rmdirSync(dirname(path)))
  }
  for (const { logPath, hasLog } of plan.sessions)
    if (!hasLog) quietly(() => rmSync(logPath.replace(/\.jsonl$/, ""), { recursive: true, force: true }))
  for (const session of plan.outputs) removeOutputs(session, pid)
  if (plan.snapshots.length === 0) return
  const dropped = new Set(plan.snapshots.map(({ id }) => id))
  const [gone, needed] = [new Set<string>(), new Set<string>()]
  for (const [id, snapshots] of mentioned) for (const one of snapshots) (dropped.has(id) ? gone : needed).add(one)
  await dropSnapshots(state, gone.difference(needed))
}

/** Under the session's lock: it may have been opened since it was looked at. */
function removeOutputs({ logPath }: SessionUse, pid: number): void {
  const lock = takeLock(`${logPath}.lock`, pid)
  if (!lock.ok) return
  try {
    for (const folder of outputsIn(logPath.replace(/\.jsonl$/, "")))
      quietly(() => rmSync(folder, { recursive: true, force: true }))
  } finally {
    lock.value()
  }
}

/** Those of its agents too. */
function outputsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (!entry.isDirectory()) return []
      const path = join(folder, entry.name)
      return outputFolders.has(entry.name) ? [path] : outputsIn(path)
    })
  } catch {
    return []
  }
}
