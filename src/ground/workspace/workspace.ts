/**
 * The workspace under the tools: one working folder with its files, its search and its processes, opened and closed as
 * one.
 */

import { dirname, join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { type Background, openBackground } from "./processes/background.ts"
import { type BufferedFiles, type EditorBuffers, withBuffers } from "./editor-buffers.ts"
import { type Files, openFiles } from "./files.ts"
import { openLineFilter } from "./search/filter-lines.ts"
import { openPaths, type Paths } from "./paths.ts"
import { openPlaces, type Places } from "./places.ts"
import { defaultOutputFiles, openOutputRoom, type OutputFileLimits } from "./processes/output-room.ts"
import { openProcesses, type Processes } from "./processes/process.ts"
import { type FindRipgrep, openRipgrep } from "./search/ripgrep.ts"
import { openSearch, type Search, type SearchOptions } from "./search/search.ts"
import type { Enclose } from "./enclose.ts"
import { openShell, type Shell } from "./shell.ts"
import { openSnapshot, type PersonShell } from "./snapshot.ts"
import { openStamps, type Stamps } from "./stamps.ts"

export interface Workspace {
  /** The folder the session was opened in. */
  readonly root: string
  /** The folder that relative paths start from and commands run in. */
  readonly cwd: () => string
  readonly setCwd: (path: string) => void
  /** Whether commands may stay in a folder. */
  readonly isAllowedFolder: (path: string) => boolean
  readonly paths: Paths
  readonly places: Places
  readonly files: Files
  /** The same, where an editor has them open. */
  readonly buffered?: BufferedFiles
  readonly stamps: Stamps
  readonly search: Search
  readonly processes: Processes
  readonly shell: Shell
  readonly background: Background
  readonly close: () => Promise<void>
}

export interface WorkspaceOptions {
  readonly root: string
  readonly home: string
  readonly ripgrep: FindRipgrep
  /** The session's own folder: long outputs are kept there. */
  readonly sessionFolder: string
  /** How much of them is kept. */
  readonly outputFiles?: OutputFileLimits | undefined
  /** For commands, with secrets already removed. */
  readonly env: () => Readonly<Record<string, string>>
  readonly clock: Clock
  readonly ids: Ids
  readonly isAllowedFolder: (path: string) => boolean
  /** Files in a folder that searches never report; none by default. */
  readonly hiddenIn?: SearchOptions["hiddenIn"]
  /** How long a process has to exit before it is killed. */
  readonly graceMs?: number
  /** The user's own shell, whose profile commands get; `off` or absent if it may not be run. */
  readonly snapshot?: PersonShell | "off"
  /** A program of the user that is given each command to run, as one argument. */
  readonly prefix?: string
  /** Files to read before each command, each if it exists. */
  readonly envFiles?: readonly string[]
  /** Of an editor that has files of this folder open. */
  readonly buffers?: EditorBuffers
  /** Confines commands; without it none is confined. */
  readonly enclose?: Enclose
  /** A program and its arguments, in front of each that is started. */
  readonly launcher?: readonly string[] | undefined
  /** A folder that lives as long as this process; one in the session's folder when absent. */
  readonly scratch?: string
}

/** A little less than the five seconds an aborted call has, so that its output still comes back. */
const defaultGraceMs = 4500
const drainMs = 100
const searchMs = 20_000

/** For files that must not outlive the process. */
export const scratchFolder = (sessionFolder: string, ids: Ids): string => join(sessionFolder, `run-${ids.uuid()}`)

export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { root, home, sessionFolder, env, clock, ids, isAllowedFolder } = options
  let folder = root
  const cwd = (): string => folder
  const { scratch = scratchFolder(sessionFolder, ids) } = options
  const outputFolder = join(sessionFolder, "tool-results")
  const paths = openPaths({ cwd, home })
  const { launcher, graceMs = defaultGraceMs } = options
  const processes = openProcesses({ clock, ids, scratch, graceMs, drainMs, launcher })
  const ripgrep = openRipgrep({ find: options.ripgrep, processes, clock })
  const background = openBackground({ clock, filterLines: openLineFilter({ ripgrep, ids, scratch }) })
  const onDisk = openFiles({ cwd, clock, ids })
  const buffered =
    options.buffers &&
    withBuffers(onDisk, {
      buffers: options.buffers,
      isInside: (real) => isAllowedFolder(dirname(real)),
      scratch: sessionFolder,
      clock,
      ids,
    })
  return {
    root,
    cwd,
    setCwd(path) {
      folder = path
    },
    isAllowedFolder,
    paths,
    places: openPlaces(paths),
    files: buffered ?? onDisk,
    ...optional("buffered", buffered),
    stamps: openStamps(),
    search: openSearch({ ripgrep, hiddenIn: options.hiddenIn ?? (() => () => false), timeoutMs: searchMs }),
    processes,
    background,
    shell: openShell({
      processes,
      background,
      ids,
      env,
      outputFolder,
      outputRoom: openOutputRoom(outputFolder, options.outputFiles ?? defaultOutputFiles),
      scratch,
      isProjectFolder: isAllowedFolder,
      snapshot: openSnapshot({ person: options.snapshot ?? "off", processes, home, root, scratch, ids }),
      ...optional("prefix", options.prefix),
      ...optional("envFiles", options.envFiles),
      ...optional("enclose", options.enclose),
    }),
    close: processes.close,
  }
}
