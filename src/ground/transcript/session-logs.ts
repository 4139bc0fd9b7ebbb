/** Where the sessions of a folder are kept, and how to find one. */

import { closeSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { unsealed } from "./seal.ts"
import { namesIn, statsOf } from "#lib/quietly.ts"

export interface SessionLogs {
  /** For a session of this folder. */
  readonly logPath: (sessionId: string) => string
  /** For what belongs to the session but not into its log. */
  readonly sessionFolder: (sessionId: string) => string
  /** The most recently changed session started in this working folder. */
  readonly newest: (cwd: string) => string | undefined
  /** Searches all folders. */
  readonly find: (sessionId: string) => string | undefined
  /** The working folder in which the session of this log was started. */
  readonly folderOf: (logPath: string) => string | undefined
}

const sessionIdShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isSessionId = (text: string): boolean => sessionIdShape.test(text)

/** `projectFolder` is that of the working folder, `projects` contains all of them. */
export function openSessionLogs({ projects, slug }: { readonly projects: string; readonly slug: string }): SessionLogs {
  const here = join(projects, slug)
  const logPath = (sessionId: string): string => join(here, `${sessionId}.jsonl`)
  return {
    logPath,
    folderOf: folderIn,
    sessionFolder: (sessionId) => join(here, sessionId),
    newest(cwd) {
      const found = namesIn(here)
        .filter((name) => name.endsWith(".jsonl") && isSessionId(name.slice(0, -6)))
        .flatMap((name) => {
          const changed = statsOf(join(here, name))?.mtimeMs
          return changed === undefined ? [] : [{ id: name.slice(0, -6), changed }]
        })
        .sort((a, b) => b.changed - a.changed)
      // Two folders may share a slug (`a-b` and `a/b`), so the log itself is asked where it began.
      return found.find(({ id }) => (folderIn(logPath(id)) ?? cwd) === cwd)?.id
    },
    find(sessionId) {
      if (!isSessionId(sessionId)) return undefined
      const folders = [slug, ...namesIn(projects).filter((name) => name !== slug)]
      return folders
        .map((folder) => join(projects, folder, `${sessionId}.jsonl`))
        .find((path) => statsOf(path)?.isFile())
    },
  }
}

const headerBytes = 8192

/** The working folder named in the first line of a log, if any. */
export function folderIn(path: string): string | undefined {
  try {
    const fd = openSync(path, "r")
    const bytes = Buffer.alloc(headerBytes)
    const length = readSync(fd, bytes, 0, headerBytes, 0)
    closeSync(fd)
    const [first = ""] = bytes.subarray(0, length).toString("utf8").split("\n", 1)
    const cwd = unsealed(first)?.cwd
    return typeof cwd === "string" ? cwd : undefined
  } catch {
    return undefined
  }
}
