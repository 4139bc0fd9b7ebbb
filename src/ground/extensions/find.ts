/** Finds the files that extend the program: commands, skills, output styles. Only looks at names. */

import { realpathSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { entriesIn } from "#lib/quietly.ts"

export interface FoundFile {
  /** Includes the folders on the way, each followed by a colon. */
  readonly name: string
  readonly path: string
  /** The state in which it was found, where that was looked at. */
  readonly stamp?: string
}

/** The state of a file; undefined if there is none. The time of the last change cannot be set by whoever writes it. */
export function stampOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.ctimeMs} ${stat.mtimeMs}` : undefined
  } catch {
    return undefined
  }
}

const deepest = 8
const mostFiles = 20_000

/** Told of each file and folder on which the result depends. */
export type OnPathRead = (path: string) => void
const unwatched: OnPathRead = () => {}

/** Sorted by name. A folder reached again through a link is not entered again. */
export function markdownBelow(folder: string, onLook: OnPathRead = unwatched): readonly FoundFile[] {
  const found: FoundFile[] = []
  const entered = new Set<string>()
  const visitFolder = (at: string, prefix: string, depth: number): void => {
    onLook(at)
    const real = realOf(at)
    if (real === undefined || entered.has(real) || depth > deepest) return
    entered.add(real)
    for (const entry of entriesIn(at)) {
      if (found.length >= mostFiles) return
      const { name } = entry
      const path = join(at, name)
      if (name.endsWith(".md") && !entry.isDirectory()) {
        onLook(path)
        found.push({ name: (prefix + name.slice(0, -".md".length)).normalize("NFC"), path })
      } else if (entry.isDirectory() || entry.isSymbolicLink()) visitFolder(path, `${prefix}${name}:`, depth + 1)
    }
  }
  visitFolder(folder, "", 0)
  return sorted(found)
}

/** The same where a single file may be named instead of a folder. */
export function markdownAt(path: string): readonly FoundFile[] {
  if (!path.endsWith(".md")) return markdownBelow(path)
  return [{ name: basename(path, ".md").normalize("NFC"), path }]
}

/** The skills in a folder, or the one that the folder is. */
export function skillsAt(folder: string): readonly FoundFile[] {
  const own = join(folder, "SKILL.md")
  return realOf(own) === undefined ? skillsIn(folder) : [{ name: basename(folder).normalize("NFC"), path: own }]
}

/** Every folder with a `SKILL.md` directly below one, sorted by name. */
export function skillsIn(folder: string, onLook: OnPathRead = unwatched): readonly FoundFile[] {
  onLook(folder)
  const found = entriesIn(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .slice(0, mostFiles)
    .flatMap(({ name }) => {
      const path = join(folder, name, "SKILL.md")
      onLook(path)
      const stamp = stampOf(path)
      return stamp === undefined ? [] : [{ name: name.normalize("NFC"), path, stamp }]
    })
  return sorted(found)
}

/** With links resolved; undefined if it does not exist. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const sorted = (files: readonly FoundFile[]): readonly FoundFile[] =>
  files.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
