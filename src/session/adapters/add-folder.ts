/** A folder that the user adds to the workspace while the session is open: tools may use it at once, and after a resume. */

import { resolve } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import { addedFolderProblem } from "#ground/settings/added-folder.ts"
import { holdsHome } from "#ground/settings/trust.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Folders } from "#session/opening/folders.ts"
import type { SessionPlace } from "#session/opening/options.ts"

export function addFolder(
  { path, as }: { readonly path: string; readonly as?: "root" },
  parts: {
    readonly place: Pick<SessionPlace, "home" | "stateFolder">
    readonly folders: Pick<Folders, "all">
    readonly cwd: string
    readonly isFolder: (path: string) => boolean
    readonly isAllowedFolder: (path: string) => boolean
    readonly record: (body: EntryBody & { readonly kind: "folders" }) => void
  },
): Result<void, string> {
  const { home, stateFolder } = parts.place
  const named = path.trim()
  const whole = realPath(resolve(parts.cwd, named === "~" ? home : named.replace(/^~\//, `${home}/`)))
  if (!parts.isFolder(whole)) return failed(`${whole} is not a folder.`)
  const isInside = parts.isAllowedFolder(whole)
  if (as === "root" && !isInside) return failed(`${whole} is not inside the workspace.`)
  if (as === "root" ? parts.folders.all().includes(whole) : isInside)
    return failed(`${whole} belongs to the workspace already.`)
  if (holdsHome(whole, home))
    return failed(`${whole} contains your whole home folder. Add the folder in it that you work with.`)
  const problem = addedFolderProblem(whole, { home })
  if (problem !== undefined) return failed(problem)
  if (whole === stateFolder || whole.startsWith(`${stateFolder}/`))
    return failed(`${whole} is where Codewright keeps its own files. Choose another folder.`)
  parts.record({ kind: "folders", added: [whole] })
  return ok(undefined)
}
