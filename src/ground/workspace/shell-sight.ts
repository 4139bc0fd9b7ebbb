/** The shell analysis over the real disk, loaded when the first command is to be judged: the parser is not needed to start. */

import { type Dirent, readdirSync, statSync } from "node:fs"
import { disk } from "./disk.ts"
import { openPrograms } from "./programs.ts"
import type { Analysis, Place } from "./shell/analysis.ts"
import { isReadOnly, readPaths } from "./shell/conclusions.ts"

/** What has to be known of the place a command would run in. */
export type CommandPlace = Pick<Place, "cwd" | "home" | "roots" | "realPath">

/** Reads commands without running anything. */
export interface ShellSight {
  readonly analyse: (command: string, place: CommandPlace) => Analysis
  /** The paths that a command reads, when it is certain that it only reads, inside the roots; undefined otherwise. */
  readonly readsOnly: (command: string, place: CommandPlace) => readonly string[] | undefined
  /** The names in a folder; undefined when it is none or cannot be read. */
  readonly list: (folder: string) => readonly string[] | undefined
  /**
   * Every path below a folder, from it, following no link and without what lies in folders of the name left out;
   * undefined when there are too many to look at.
   */
  readonly below: (folder: string, leftOut?: string) => readonly string[] | undefined
}

/** The sight once it is there, and the way to have it. */
export interface LazySight {
  readonly now: () => ShellSight | undefined
  readonly load: () => Promise<ShellSight>
}

/** `path` says where programs are looked for; without it each name is taken for the program it is known as. */
export function openShellSight({ path }: { readonly path?: () => string | undefined } = {}): LazySight {
  let sight: ShellSight | undefined
  let loading: Promise<ShellSight> | undefined
  const read = async (): Promise<ShellSight> => {
    const [{ analyse }, { repositoryRunsPrograms }] = await Promise.all([
      import("./shell/analyse.ts"),
      import("./shell/repository.ts"),
    ])
    const program = path && openPrograms(path)
    const onDisk = ({ cwd, home, roots, realPath }: CommandPlace): Place => ({
      cwd,
      home,
      roots,
      realPath,
      list,
      ...openLinks(),
      exists,
      text,
      ...(program && { program }),
      repositoryRunsPrograms: (folder) => repositoryRunsPrograms(folder, disk),
    })
    sight = {
      list,
      below,
      analyse: (command, place) => analyse(command, onDisk(place)),
      readsOnly(command, place) {
        const analysis = analyse(command, onDisk(place))
        return isReadOnly(analysis, onDisk(place)) ? readPaths(analysis) : undefined
      },
    }
    return sight
  }
  return { now: () => sight, load: () => (loading ??= read()) }
}

function list(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** How many names are looked at below a folder: a huge tree is not worth the wait. */
const mostNames = 5000

/** Walks a tree name by name, following no link; false when there was more than anyone looks at. */
function walk(folder: string, see: (path: string, entry: Dirent) => void, leftOut?: string): boolean {
  const open = [""]
  let seen = 0
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const entry of entriesOf(`${folder}/${at}`)) {
      if (++seen > mostNames) return false
      const path = `${at}${entry.name}`
      see(path, entry)
      if (entry.isDirectory() && entry.name !== leftOut) open.push(`${path}/`)
    }
  }
  return true
}

function below(folder: string, leftOut?: string): readonly string[] | undefined {
  const found: string[] = []
  return walk(folder, (path) => found.push(path), leftOut) ? found : undefined
}

interface FoundLinks {
  readonly links: readonly { readonly path: string; readonly name: string }[]
  /** Whether all were found, or there was more than anyone looks at. */
  readonly isWhole: boolean
}

/** The links below folders, each folder walked once for one command. */
function openLinks(): Required<Pick<Place, "links" | "everyLink">> {
  const known = new Map<string, FoundLinks>()
  const look = (folder: string): FoundLinks => {
    const before = known.get(folder)
    if (before) return before
    const links: { readonly path: string; readonly name: string }[] = []
    const isWhole = walk(folder, (path, entry) => {
      if (entry.isSymbolicLink()) links.push({ path: `${folder}/${path}`, name: entry.name })
    })
    known.set(folder, { links, isWhole })
    return { links, isWhole }
  }
  return {
    links: (folder, passes) => look(folder).links.flatMap(({ path, name }) => (passes(name) ? [path] : [])),
    everyLink(folder) {
      const { links, isWhole } = look(folder)
      return isWhole ? links.map(({ path }) => path) : undefined
    },
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const longestText = 1_000_000

function text(path: string): string | undefined {
  const bytes = disk.readBytes(path)
  return bytes && bytes.length <= longestText ? new TextDecoder().decode(bytes) : undefined
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // What cannot be looked at may be there.
    return true
  }
}
