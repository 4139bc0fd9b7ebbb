/** What a judged line has to see so that its answers are true. See decision 98. */

import type { JudgedView } from "#agent/words/boundary.ts"
import type { Segment } from "./analysis.ts"
import { isCoreReader, runsGit } from "./programs/core-readers.ts"

export function viewFor(segments: readonly Segment[]): JudgedView {
  const machine = segments.some((segment) => segment.machine) && segments.every(staysOutOfProcesses)
  const ownGitSettings =
    segments.some(({ asksGitSettings }) => asksGitSettings) &&
    // Any other program may start git, and a basic reader does not.
    segments.every((segment) => segment.asksGitSettings || (isCoreReader(segment) && !runsGit(segment)))
  return { ...(machine && { machine }), ...(ownGitSettings && { ownGitSettings }) }
}

/** What lies there of others cannot be read in that wall either; a line that names it is not about processes alone. */
const staysOutOfProcesses = ({ verdict, unbounded, reads }: Segment): boolean =>
  verdict !== "other" && !unbounded && !reads.some((path) => /^\/+proc(?:\/|$)/.test(path))
