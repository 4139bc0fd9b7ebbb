/** Where sessions may work, and where those who are not admins may begin them: folders, and addresses of repositories. */

import { statSync } from "node:fs"
import { normalize } from "node:path"
import { errorCode } from "#ground/workspace/failure.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { liesIn } from "#lib/lies-in.ts"
import type { WorkspaceSource } from "./records.ts"

/** An entry stands for itself and everything below it. */
export function mayBeginIn(workspace: WorkspaceSource, allowed: readonly string[]): boolean {
  const place = "path" in workspace ? workspace.path : workspace.git.url
  if (!place.startsWith("/")) return allowed.some((entry) => isAddressBelow(place, entry))
  // Links count as they are on this machine; a worker may have its folders elsewhere.
  const forms = [normalize(place), realPath(place)]
  return forms.every((form) => allowed.some((entry) => liesIn(form, normalize(entry)) || liesIn(form, realPath(entry))))
}

/** The machine the server runs on. */
export interface Machine {
  readonly host: string
  /** Of whoever started the server. */
  readonly home: string
}

/**
 * Why nobody may begin a session in this folder; nothing if they may. What lies in it is the session's to change, so it is never more than a project:
 * not the system, and not a home, unless the settings name exactly that folder. `isHere`: only workers of this machine could take it.
 */
export function workspaceProblem(
  path: string,
  { home, allowed, isHere }: { readonly home: string; readonly allowed: readonly string[]; readonly isHere: boolean },
): string | undefined {
  const real = realPath(normalize(path))
  const isNamed = allowed.some((entry) => entry.startsWith("/") && realPath(normalize(entry)) === real)
  if ([normalize(path), real].some((form) => systemFolders.some((folder) => liesIn(form, folder))) || real === "/")
    return `${path} is part of the system, not the folder of a project. Choose the folder of one project.`
  if (!isNamed && liesIn(realPath(home), real))
    return `${path} holds the home folder of whoever runs the server. Choose the folder of one project, or have an admin add exactly ${path} to server.workspaces in the settings.`
  if (!isHere) return undefined
  try {
    return statSync(real).isDirectory() ? undefined : `${path} is not a folder.`
  } catch (error) {
    return errorCode(error) === "ENOENT"
      ? `${path} does not exist. Create the folder first, or check the spelling.`
      : `${path} cannot be opened (${errorCode(error)}). Check who may read it.`
  }
}

const systemFolders: readonly string[] = ["/proc", "/sys", "/dev"]

/** What tells whether two sessions work in the same folder; nothing for clones, which are a session's own. */
export const folderOf = (workspace: WorkspaceSource): string | undefined =>
  "path" in workspace ? realPath(normalize(workspace.path)).replace(/(?<=.)\/$/, "") : undefined

/** What tells whether two sessions work in the same repository, whatever address they name: its host and path, or a folder of a machine. */
export function repositoryOf(workspace: WorkspaceSource): string {
  const folder = folderOf(workspace)
  if (folder !== undefined || !("git" in workspace)) return folder ?? ""
  const { url } = workspace.git
  const [, host, path = ""] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]*)(?::\d+)?\/(.*)$/i.exec(url) ??
    /^(?:[^@/]+@)?([\w.-]+):(.*)$/.exec(url) ??
    []
  const plain = (text: string): string => text.replace(/\/+$/, "").replace(/\.git$/, "")
  if (host === undefined || url.startsWith("file:")) return plain(realPath(normalize(url.replace(/^file:\/\//, ""))))
  return `${host.toLowerCase()}/${plain(path.replace(/^\/+/, ""))}`
}

/** Nothing in it may lead out again once somebody resolves it. */
export function isAddressBelow(address: string, entry: string): boolean {
  if (address === entry) return true
  const start = /[/:]$/.test(entry) ? entry : `${entry}/`
  return address.startsWith(start) && !/[%\\?#]|\/\.{1,2}(?:\/|$)/.test(address.slice(start.length - 1))
}
