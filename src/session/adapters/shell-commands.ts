/** What the shell tool learns about commands before they run, and what is preloaded while the model writes its first call. */

import { realPath } from "#ground/workspace/paths.ts"
import { isCoreReader } from "#ground/workspace/shell/programs/core-readers.ts"
import type { LazyCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { Permissions } from "#kits/permissions/kit.ts"
import type { BashGround } from "#kits/tools/bash.ts"
import type { Clock } from "#lib/clock.ts"
import type { Folders } from "#session/opening/folders.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import type { Walls } from "./sandbox.ts"

export interface CommandParts {
  readonly analyzer: LazyCommandAnalyzer
  readonly workspace: Pick<Workspace, "shell" | "processes">
  readonly place: Pick<SessionPlace, "cwd" | "home">
  readonly folders: Pick<Folders, "all">
  readonly sessionFolder: string
  readonly onlyReads: boolean
  readonly checkpoints: Pick<Checkpoints, "warm">
  readonly permissions: Pick<Permissions, "warm">
  readonly walls: Pick<Walls, "load" | "warm">
  readonly clock: Clock
}

export interface ShellCommands extends Required<Pick<BashGround, "knownReads" | "begin">> {
  /** Loads what the first call needs, whichever tool it is. Starts and opens nothing, because there may be no call. */
  readonly loadAhead: () => Promise<void>
  /** What is being prepared for a first command is no longer wanted. */
  readonly close: () => void
}

/** A call that takes longer to arrive is being written; one that comes whole is not delayed by what it may not need. */
const writingMs = 25

export function openCommands(parts: CommandParts): ShellCommands {
  const { analyzer, workspace, place, folders, sessionFolder } = parts
  const roots = (): readonly string[] => [...folders.all(), sessionFolder]
  const readsOnly = (command: string, cwd: string): readonly string[] | undefined =>
    analyzer.now()?.readsOnly(command, { cwd, home: place.home, roots: roots(), realPath })

  let hasBegun = false
  let isWhole = (): void => {}
  const isBasic = (command: string, cwd: string): boolean => {
    const analysis = analyzer.now()?.view().analyse(command, { cwd, home: place.home, roots: roots(), realPath })
    return analysis?.understood === true && analysis.segments.every(isCoreReader)
  }

  let practising: Promise<void> | undefined
  /** The first command analysis and the first decision take ten times as long as later ones. */
  async function practise(): Promise<void> {
    await analyzer.load()
    readsOnly("ls", place.cwd)
    await parts.permissions.warm()
  }

  return {
    knownReads: {
      readsOnly(command, cwd) {
        isWhole()
        return readsOnly(command, cwd)
      },
      isBasic,
      load: () => (analyzer.now() ? undefined : analyzer.load().then(() => {})),
    },
    async loadAhead() {
      await (practising ??= practise())
      await Promise.all([import("#ground/snapshots/snapshots.ts"), parts.walls.load()])
    },
    begin() {
      if (hasBegun) return
      hasBegun = true
      isWhole = parts.clock.after(writingMs, () => {
        parts.walls.warm()
        // No snapshot is taken before a command that only reads.
        if (!parts.onlyReads) parts.checkpoints.warm()
        // Any failure comes up again with the command.
        ;(practising ??= practise()).catch(() => {})
      })
      // Read-only commands run without the user's profile.
      if (parts.onlyReads) workspace.processes.warm()
      else workspace.shell.warm()
    },
    close() {
      hasBegun = true
      isWhole()
    },
  }
}
