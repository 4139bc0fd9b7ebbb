/** What an answer permits beyond its call: another mode, and further folders. Both are entries of the log. */

import { isAbsolute } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { optional } from "#lib/optional.ts"

export interface Wider {
  readonly mode?: PermissionMode
  readonly folders?: readonly string[]
}

export type Widen = (wider: Wider) => void

export function openWiden({
  record,
  bypassAvailable,
  withoutAuto,
  isFolder,
}: {
  readonly record: (body: EntryBody) => void
  readonly bypassAvailable: boolean
  readonly withoutAuto?: true | undefined
  readonly isFolder: (path: string) => boolean
}): Widen {
  const warn = (text: string): void => void record({ kind: "notice", level: "warning", text })
  return ({ mode, folders = [] }) => {
    if (mode === "bypassPermissions" && !bypassAvailable)
      warn("The mode was not changed: bypassing permissions is not available in this session.")
    else if (mode === "auto" && withoutAuto)
      warn("The mode was not changed: auto mode is turned off by permissions.disableAutoMode.")
    else if (mode !== undefined) record({ kind: "mode", mode })
    const added = folders.filter((path) => isAbsolute(path) && isFolder(path))
    for (const path of folders)
      if (!added.includes(path))
        warn(`${path} was not added to the workspace: it is not a folder with an absolute path.`)
    if (added.length > 0) record({ kind: "folders", added })
  }
}

/** An agent's mode and folders are its session's; its own log says which of them it may use. */
export const widenOf =
  (parent: Widen | undefined, own: Widen): Widen =>
  ({ mode, folders }) => {
    parent?.({ ...optional("mode", mode), ...optional("folders", folders) })
    own({ ...optional("folders", folders) })
  }
