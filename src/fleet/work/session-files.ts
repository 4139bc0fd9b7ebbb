/** What belongs to a session besides its log and its files: outputs that were saved for the model, and plans. */

import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Beside } from "#ground/workspace/source/keep.ts"
import { statsOf } from "#lib/quietly.ts"

export interface SessionFile extends Beside {
  /** Another one if it has changed. */
  readonly stamp: string
}

const folders = ["session", "plans"] as const
const mostBytes = 10_000_000

/** `own`: the folder of the session. Logs of agents come from the database, and what runs has its folders for itself. */
export function sessionFilesIn(own: string): readonly SessionFile[] {
  return folders.flatMap((folder) => below(own, folder))
}

/** From a folder where all of them were put. */
export function restoreSessionFiles(from: string, own: string): void {
  for (const folder of folders)
    if (existsSync(join(from, folder))) cpSync(join(from, folder), join(own, folder), { recursive: true })
}

function below(own: string, folder: string): readonly SessionFile[] {
  const path = join(own, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name.startsWith("run-") ? [] : below(own, name)
    const stats = entry.isFile() ? statsOf(join(own, name)) : undefined
    if (!stats || stats.size > mostBytes || name.endsWith(".jsonl")) return []
    return [{ name, stamp: `${stats.size} ${stats.mtimeMs}`, bytes: () => readFileSync(join(own, name)) }]
  })
}
