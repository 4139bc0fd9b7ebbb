/** Where those who are not admins may begin sessions, if the settings say so: folders, and addresses of repositories. */

import { normalize } from "node:path"
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

/** Nothing in it may lead out again once somebody resolves it. */
function isAddressBelow(address: string, entry: string): boolean {
  if (address === entry) return true
  const start = /[/:]$/.test(entry) ? entry : `${entry}/`
  return address.startsWith(start) && !/[%\\?#]|\/\.{1,2}(?:\/|$)/.test(address.slice(start.length - 1))
}
