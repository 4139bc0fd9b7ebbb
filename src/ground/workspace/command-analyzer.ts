/** The shell analysis on the real disk, loaded when the first command is judged: the parser is not needed to start. */

import { statSync } from "node:fs"
import { onceEach } from "#lib/once-each.ts"
import { disk } from "./disk.ts"
import { openFolderEntries } from "./search/folder-entries.ts"
import { openPrograms } from "./programs.ts"
import type { ReadTexts } from "./shell/analyse.ts"
import type { Analysis, ShellPlace } from "./shell/analysis.ts"
import { isReadOnly, readPaths } from "./shell/conclusions.ts"
import type { FindProgram } from "./shell/programs/program-file.ts"
import type { Disk } from "./shell/programs/repository.ts"
import { openTrees, type Trees } from "./trees.ts"

/** What must be known about the place a command would run in. */
export type CommandPlace = Pick<ShellPlace, "cwd" | "home" | "roots" | "realPath">

export interface CommandAnalyzer {
  /** The disk as it is now, for one decision only. */
  readonly view: () => DiskView
  /** The paths a command reads, if it certainly only reads, inside the roots; undefined otherwise. */
  readonly readsOnly: (command: string, place: CommandPlace) => readonly string[] | undefined
}

/** What one decision sees. Each fact is read from the disk once, on first use. */
export interface DiskView extends Pick<Trees, "below"> {
  readonly analyse: (command: string, place: CommandPlace) => Analysis
  /** Undefined when it is not a folder or cannot be read. */
  readonly list: (folder: string) => readonly string[] | undefined
  /** Whether a link among the files that git opens by itself leads out of the folders it may read, or may do so. */
  readonly gitLeadsOut: (folder: string, place: Pick<CommandPlace, "roots" | "realPath">) => boolean
}

export interface LazyCommandAnalyzer {
  readonly now: () => CommandAnalyzer | undefined
  readonly load: () => Promise<CommandAnalyzer>
}

/** `path` says where programs are searched for; without it each name is assumed to be the program it is known as. */
export function openCommandAnalyzer({ path }: { readonly path?: () => string | undefined } = {}): LazyCommandAnalyzer {
  let analyzer: CommandAnalyzer | undefined
  let loading: Promise<CommandAnalyzer> | undefined
  const read = async (): Promise<CommandAnalyzer> => {
    const [{ analyse, readText }, { filesOfGit, repositoryRunsPrograms, trackedNames }, { isWithin }] =
      await Promise.all([
        import("./shell/analyse.ts"),
        import("./shell/programs/repository.ts"),
        import("./shell/paths.ts"),
      ])
    const find = path && openPrograms(path)
    const readFolder = openFolderEntries()
    const readOnce = openTexts(readText)
    const viewNow = (): DiskView => {
      const entries = onceEach(readFolder)
      const { below, ...trees } = openTrees(entries)
      const seen: Disk = { ...disk, readBytes: onceEach(disk.readBytes) }
      const facts = {
        ...trees,
        list: onceEach((folder) => entries(folder)?.map(({ name }) => name)),
        exists: onceEach(exists),
        text: (file: string) => textOf(seen.readBytes(file)),
        tracked: onceEach((folder) => trackedNames(folder, seen)),
      }
      const onDisk = (place: CommandPlace): ShellPlace => ({
        ...place,
        ...facts,
        ...(find && { program: foundOnce(find) }),
        repositoryRunsPrograms: onceEach((folder) => repositoryRunsPrograms(folder, seen, place.home)),
      })
      return {
        below,
        list: facts.list,
        analyse: (command, place) => analyse(command, onDisk(place), readOnce),
        gitLeadsOut(folder, { roots, realPath }) {
          const { folders, files } = filesOfGit(folder, seen)
          const links = folders.map((each) => trees.everyLink(each))
          if (links.includes(undefined)) return true
          const inside = [...roots, ...folders]
          const known = files.filter((file) => seen.isLink(file))
          return [...known, ...links.flatMap((some) => some ?? [])].some((each) => !isWithin(each, inside, realPath))
        },
      }
    }
    analyzer = {
      view: viewNow,
      readsOnly(command, { cwd, home, roots, realPath }) {
        const place = { cwd, home, roots, realPath: onceEach(realPath) }
        const analysis = viewNow().analyse(command, place)
        return isReadOnly(analysis, place) ? readPaths(analysis) : undefined
      },
    }
    return analyzer
  }
  return { now: () => analyzer, load: () => (loading ??= read()) }
}

/** A call is looked at several times before it runs, and several calls may be at once. */
const mostTexts = 32

function openTexts(read: ReadTexts): ReadTexts {
  const known = new Map<string, ReturnType<ReadTexts>>()
  return (command) => {
    if (known.has(command)) return known.get(command)
    if (known.size >= mostTexts) known.clear()
    const text = read(command)
    known.set(command, text)
    return text
  }
}

/** For one command, whose project has the same folders throughout. */
function foundOnce(find: FindProgram): FindProgram {
  const known = new Map<string, ReturnType<FindProgram>>()
  return (name, isProjectFolder) => {
    const before = known.get(name)
    if (before) return before
    const found = find(name, isProjectFolder)
    known.set(name, found)
    return found
  }
}

const longestText = 1_000_000

function textOf(bytes: Uint8Array | undefined): string | undefined {
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
