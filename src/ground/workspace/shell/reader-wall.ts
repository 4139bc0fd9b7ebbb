/** How a line that only reads must be confined so that its answers are true. */

import type { Analysis, Segment } from "./analysis.ts"
import { isCoreReader } from "./core-readers.ts"
import { programName } from "./launchers.ts"

export interface ReaderWall {
  /** It asks about processes, sockets or interfaces, so it has to see those of the machine. */
  readonly machine: boolean
  /** All that it asks of git are its settings, so none may be forced. */
  readonly ownGitSettings: boolean
}

export function readerWall(analysis: Analysis): ReaderWall {
  const { segments } = analysis
  return {
    machine: analysis.understood && segments.some(({ machine }) => machine) && segments.every(staysOutOfProcesses),
    ownGitSettings:
      analysis.understood &&
      segments.some(({ asksGitSettings }) => asksGitSettings) &&
      segments.every((segment) => segment.asksGitSettings || (isCoreReader(segment) && !isGit(segment))),
  }
}

/** What lies there of others cannot be read in that wall either; a line that names it is not about processes alone. */
const staysOutOfProcesses = ({ verdict, unbounded, reads }: Segment): boolean =>
  verdict === "read_only" && !unbounded && !reads.some((path) => /^\/+proc(?:\/|$)/.test(path))

/** Any other program may start git, and a basic reader does not. */
const isGit = ({ argv: [name = ""] }: Segment): boolean => programName(name) === "git"
