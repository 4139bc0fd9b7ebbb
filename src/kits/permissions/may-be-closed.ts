/** Tells of most paths that they cannot be closed, without following what is. */

import { posix } from "node:path"
import type { ClosedPath, Workspace } from "./paths.ts"

/**
 * Whether one of some paths, in all their forms, could be closed. What is closed keeps its name wherever the folders
 * around it lead; so unless it is a link itself, every path that leads into it contains that name.
 */
export function openMayBeClosed(
  closed: readonly ClosedPath[],
  hasLink: (paths: readonly string[]) => boolean,
): NonNullable<Workspace["mayBeClosed"]> {
  const paths = closed.map(({ path }) => path)
  const names = paths.map((path) => RegExp.escape(posix.basename(path)))
  // Only the file system knows which letters beyond ASCII it takes for the same as one within.
  const couldLead = new RegExp([...names, "[^\\x20-\\x7e]"].join("|"), "i")
  return (forms) => forms.length > 0 && (forms.some((form) => couldLead.test(form)) || hasLink(paths))
}
