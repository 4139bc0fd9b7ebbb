/** Where the sessions of a folder are kept, and how one is found again. */

import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Shelf {
  /** The log of a session of this folder. */
  readonly logPath: (sessionId: string) => string
  /** A folder for what belongs to the session but not into its log. */
  readonly sessionFolder: (sessionId: string) => string
  /** The session of this folder that changed last. */
  readonly newest: () => string | undefined
  /** The log of a session of any folder. */
  readonly find: (sessionId: string) => string | undefined
}

const sessionIdShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isSessionId = (text: string): boolean => sessionIdShape.test(text)

/** `projectFolder` is the one of the working folder, `projects` the folder that holds all of them. */
export function openShelf({ projects, slug }: { readonly projects: string; readonly slug: string }): Shelf {
  const here = join(projects, slug)
  const logPath = (sessionId: string): string => join(here, `${sessionId}.jsonl`)
  return {
    logPath,
    sessionFolder: (sessionId) => join(here, sessionId),
    newest() {
      const found = listed(here)
        .filter((name) => name.endsWith(".jsonl") && isSessionId(name.slice(0, -6)))
        .flatMap((name) => {
          const changed = statSync(join(here, name), { throwIfNoEntry: false })?.mtimeMs
          return changed === undefined ? [] : [{ id: name.slice(0, -6), changed }]
        })
        .sort((a, b) => b.changed - a.changed)
      return found[0]?.id
    },
    find(sessionId) {
      if (!isSessionId(sessionId)) return undefined
      const folders = [slug, ...listed(projects).filter((name) => name !== slug)]
      return folders
        .map((folder) => join(projects, folder, `${sessionId}.jsonl`))
        .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    },
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
