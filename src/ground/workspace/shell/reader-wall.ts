/** How a line that only reads must be confined so that its answers are true. */

import type { Analysis, Segment } from "./analysis.ts"
import { programName } from "./launchers.ts"

export interface ReaderWall {
  /** It asks about processes, sockets or interfaces, so it has to see those of the machine. */
  readonly machine: boolean
  /** All that it asks of git are its settings, so none may be forced. */
  readonly ownGitSettings: boolean
}

export function readerWall(analysis: Analysis): ReaderWall {
  const { segments } = analysis
  const git = [...segments, ...segments.flatMap(({ behind }) => behind)].filter(isGit)
  return {
    machine: analysis.understood && segments.some(({ machine }) => machine) && segments.every(staysOutOfProcesses),
    ownGitSettings: analysis.understood && git.length > 0 && git.every(({ asksGitSettings }) => asksGitSettings),
  }
}

/** What lies there of others cannot be read in that wall either; a line that names it is not about processes alone. */
const staysOutOfProcesses = ({ verdict, unbounded, reads }: Segment): boolean =>
  verdict === "read_only" && !unbounded && !reads.some((path) => /^\/+proc(?:\/|$)/.test(path))

/** Programs that start git count as git: none of them shows only its settings. */
const isGit = ({ argv: [name = ""], wrappers }: Segment): boolean =>
  [name, ...wrappers].some((word) => /^(?:git|gh|go|cargo|npm|pnpm|yarn|rg|cloc)$/.test(programName(word)))
