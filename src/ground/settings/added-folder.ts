/** Which folders cannot be part of a workspace. */

import { readFileSync, realpathSync, statSync } from "node:fs"
import { isPseudo, mountsIn } from "#lib/pseudo-mounts.ts"
import { isProjectSource, type SourceName } from "./sources.ts"
import { holdsHome } from "./trust.ts"

export interface AddedFolder {
  readonly home: string
  /** Absent for one that the user named just now. */
  readonly source?: SourceName
  /** As it was written. */
  readonly shown?: string
}

/** What is wrong with an added folder, as a sentence; undefined if it can be used. */
export function addedFolderProblem(folder: string, { home, source, shown = folder }: AddedFolder): string | undefined {
  const real = realFolder(folder)
  if (real === undefined) return `The added folder ${shown} does not exist or is not a folder.`
  if (real === "/") return `The added folder ${shown} is the whole file system. Add the folders that you work with.`
  if (isPseudo(real, mountsIn(readMounts())))
    return `The added folder ${shown} belongs to the system and has no files of its own. To read it, allow Read(/${real}/**).`
  // A project does not decide that all of the user's files belong to it.
  if (source !== undefined && isProjectSource(source) && holdsHome(real, home))
    return `The added folder ${shown} contains your whole home folder, which a project's settings may not add.`
  return undefined
}

function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync.native(path) : undefined
  } catch {
    return undefined
  }
}

function readMounts(): string | undefined {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
  } catch {
    return undefined
  }
}
