import { heapStats } from "bun:jsc"
/** A shell in a temporary folder, and ways to see what became of its processes. */

import { readdirSync, readFileSync } from "node:fs"
import { rgPath } from "@vscode/ripgrep"
import { type Background, openBackground } from "#ground/workspace/processes/background.ts"
import { openLineFilter } from "#ground/workspace/search/filter-lines.ts"
import { openProcesses, type Processes } from "#ground/workspace/processes/process.ts"
import { openRipgrep } from "#ground/workspace/search/ripgrep.ts"
import { openShell, type Shell, type ShellRan, type ShellRun } from "#ground/workspace/shell.ts"
import { openSnapshot, type PersonShell } from "#ground/workspace/snapshot.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

export interface TestShell extends AsyncDisposable {
  readonly folder: string
  readonly processes: Processes
  readonly shell: Shell
  readonly background: Background
  readonly run: (command: string, more?: Partial<ShellRun>) => Promise<ShellRan>
}

export interface TestShellOptions {
  readonly graceMs?: number
  /** For what was printed before the command ended. */
  readonly drainMs?: number
  readonly snapshot?: (home: string) => PersonShell
  readonly envFile?: string
  readonly clock?: Clock
}

export function openTestShell({
  graceMs = 300,
  drainMs = 100,
  clock = systemClock,
  ...options
}: TestShellOptions = {}): TestShell {
  const folder = temporaryFolder()
  const scratch = folder.join("scratch")
  const processes = openProcesses({ clock, ids: systemIds, scratch, graceMs, drainMs })
  const env = () => ({
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: folder.path,
    BASH_ENV: "/etc/passwd",
    CDPATH: "/usr",
  })
  const ripgrep = openRipgrep({ find: async () => rgPath, processes, clock })
  const background = openBackground({
    clock,
    filterLines: openLineFilter({ ripgrep, ids: systemIds, scratch }),
  })
  const snapshot = openSnapshot({
    person: options.snapshot?.(folder.path) ?? "off",
    processes,
    home: folder.path,
    root: folder.join("project"),
    scratch,
    ids: systemIds,
  })
  const shell = openShell({
    processes,
    background,
    snapshot,
    ids: systemIds,
    env,
    outputFolder: folder.join("outputs"),
    scratch,
    ...(options.envFile !== undefined && { envFiles: [options.envFile] }),
  })
  return {
    folder: folder.path,
    processes,
    shell,
    background,
    async run(command, more = {}) {
      const ran = await shell.run({
        command,
        cwd: folder.path,
        timeoutMs: 30_000,
        signal: new AbortController().signal,
        limits: { characters: 30_000, fileBytes: 1_000_000_000 },
        ...more,
      })
      if (!ran.ok) throw new Error(JSON.stringify(ran.failure))
      if (ran.value.kind !== "ran") throw new Error("it was moved to the background")
      return ran.value
    },
    async [Symbol.asyncDispose]() {
      await processes.close()
      folder[Symbol.dispose]()
    },
  }
}

/** How many processes run whose command line contains a word that nothing else contains. */
export function countProcesses(word: string): number {
  const listed = Bun.spawnSync(["ps", "-axww", "-o", "stat=,args="]).stdout.toString()
  return listed
    .split("\n")
    .filter((line) => line.includes(word) && !line.trim().startsWith("Z") && !line.includes(" ps ")).length
}

/** Waits until something holds; the test's own time limit is the only one. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(20)
}

export const openFiles = (): number => readdirSync("/dev/fd").length
export const textOf = (path: string): string => readFileSync(path, "utf8")

/** What is still referenced: the size of the process says little, the runtime gives memory back when it likes. */
export function bytesHeld(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}
