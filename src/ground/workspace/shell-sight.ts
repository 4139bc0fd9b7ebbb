/** The shell analysis over the real disk, loaded when the first command is to be judged: the parser is not needed to start. */

import { type Dirent, readdirSync, statSync } from "node:fs"
import { disk } from "./disk.ts"
import { openPrograms } from "./programs.ts"
import type { Analysis, Found, Place, WalkLimits } from "./shell/analysis.ts"
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
    const [{ analyse }, { repositoryRunsPrograms, trackedNames }] = await Promise.all([
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
      ...openWalks(),
      tracked: (folder) => trackedNames(folder, disk),
      exists,
      text,
      ...(program && { program }),
      repositoryRunsPrograms: (folder) => repositoryRunsPrograms(folder, disk, home),
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
interface WalkHow extends WalkLimits {
  readonly most: number
}

/** Walks a tree name by name, following no link; false when there was more than anyone looks at. */
function walk(folder: string, see: (path: string, entry: Dirent) => void, { most, depth, skips }: WalkHow): boolean {
  const open = [{ at: "", level: 1 }]
  let seen = 0
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { at, level } = next
    if (depth !== undefined && level > depth) continue
    for (const entry of entriesOf(`${folder}/${at}`)) {
      if (++seen > most) return false
      const path = `${at}${entry.name}`
      see(path, entry)
      if (entry.isDirectory() && !skips?.(path)) open.push({ at: `${path}/`, level: level + 1 })
    }
  }
  return true
}

function below(folder: string, leftOut?: string): readonly string[] | undefined {
  const found: string[] = []
  const skips =
    leftOut === undefined ? {} : { skips: (path: string) => path === leftOut || path.endsWith(`/${leftOut}`) }
  return walk(folder, (path) => found.push(path), { most: mostNames, ...skips }) ? found : undefined
}

/** What lies below folders, each folder walked once for one command. */
function openWalks(): Required<Pick<Place, "everything" | "everyLink">> {
  const known = new Map<string, readonly string[] | undefined>()
  const links = (folder: string): readonly string[] | undefined => {
    const found: string[] = []
    const see = (path: string, entry: Dirent): void => {
      if (entry.isSymbolicLink()) found.push(`${folder}/${path}`)
    }
    return walk(folder, see, { most: mostNames }) ? found : undefined
  }
  return {
    everything(folder, limits = {}) {
      const found: Found[] = []
      const see = (path: string, entry: Dirent): void => {
        found.push({ path, isLink: entry.isSymbolicLink() })
      }
      return walk(folder, see, { ...limits, most: mostNames }) ? found : undefined
    },
    everyLink(folder) {
      if (!known.has(folder)) known.set(folder, links(folder))
      return known.get(folder)
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
