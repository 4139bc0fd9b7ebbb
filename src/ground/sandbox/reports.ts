/**
 * The files that watchers write to. The next command reuses one: creating a file can take as long as running a
 * command.
 */

import { rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Report, readReport } from "./report.ts"

export interface ReportFile {
  readonly path: string
  readonly read: () => Report
  /** Call when no one writes to it any more. */
  readonly giveBack: () => void
}

/** Every command grows the file. */
const largest = 64 * 1024

export function openReports({
  folder,
  name,
}: {
  readonly folder: string
  readonly name: () => string
}): () => ReportFile {
  const free: string[] = []

  return () => {
    const used = free.pop()
    const path = used ?? join(folder, name())
    if (used === undefined) writeFileSync(path, "", { mode: 0o600 })
    const from = used === undefined ? 0 : statSync(path).size
    let isGiven = true
    return {
      path,
      read: () => readReport(path, from),
      giveBack() {
        if (!isGiven) return
        isGiven = false
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? largest
        if (size < largest) free.push(path)
        else rmSync(path, { force: true })
      },
    }
  }
}
