/** Which files a turn has changed, as far as its calls show it. */

import type { Display, FileDiff } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"

/** Each path once; a file that was created and then changed counts as created. */
export interface ChangedFiles {
  readonly created: readonly string[]
  readonly modified: readonly string[]
  readonly removed: readonly string[]
}

export const noFiles: ChangedFiles = { created: [], modified: [], removed: [] }

/** The plan file is not a change to the project. */
export const withResult = (
  files: ChangedFiles,
  { isError, display }: Entry & { kind: "result" },
  planPath: string | undefined,
): ChangedFiles =>
  isError || !display
    ? files
    : diffsIn(display)
        .filter(({ path }) => path !== planPath)
        .reduce(changed, files)

function diffsIn(display: Display): readonly FileDiff[] {
  if (display.kind === "diff") return [display]
  return display.kind === "diffs" ? display.files : []
}

function changed(files: ChangedFiles, { path, created }: FileDiff): ChangedFiles {
  if (files.created.includes(path)) return files
  if (created) return { ...files, created: [...files.created, path] }
  return files.modified.includes(path) ? files : { ...files, modified: [...files.modified, path] }
}
