/** What the shell tool learns about commands before they run, and what is preloaded while the model writes its first call. */

import { realPath } from "#ground/workspace/paths.ts"
import { isCoreReader } from "#ground/workspace/shell/core-readers.ts"
import type { LazySight } from "#ground/workspace/shell-sight.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { Permissions } from "#kits/permissions/kit.ts"
import type { BashGround } from "#kits/tools/bash.ts"
import type { Folders } from "#session/opening/folders.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import type { Walls } from "./sandbox.ts"

export interface CommandParts {
  readonly sight: LazySight
  readonly workspace: Pick<Workspace, "shell" | "processes">
  readonly place: Pick<SessionPlace, "cwd" | "home">
  readonly folders: Pick<Folders, "all">
  readonly sessionFolder: string
  readonly onlyReads: boolean
  readonly checkpoints: Pick<Checkpoints, "warm">
  readonly permissions: Pick<Permissions, "warm">
  readonly walls: Pick<Walls, "warm">
}

export interface ShellCommands extends Required<Pick<BashGround, "sight" | "begin">> {
  /** Loads what the first call needs, whichever tool it is. Starts and opens nothing, because there may be no call. */
  readonly loadAhead: () => Promise<void>
}

export function openCommands(parts: CommandParts): ShellCommands {
  const { sight, workspace, place, folders, sessionFolder } = parts
  const roots = (): readonly string[] => [...folders.all(), sessionFolder]
  const readsOnly = (command: string, cwd: string): readonly string[] | undefined =>
    sight.now()?.readsOnly(command, { cwd, home: place.home, roots: roots(), realPath })

  let hasBegun = false
  const isBasic = (command: string, cwd: string): boolean => {
    const analysis = sight.now()?.look().analyse(command, { cwd, home: place.home, roots: roots(), realPath })
    return analysis?.understood === true && analysis.segments.every(isCoreReader)
  }

  let loading: Promise<void> | undefined
  async function load(): Promise<void> {
    await sight.load()
    // The first command analysis and the first decision take ten times as long as later ones.
    readsOnly("ls", place.cwd)
    await parts.permissions.warm()
  }

  return {
    sight: { readsOnly, isBasic, load: () => (sight.now() ? undefined : (loading ??= load())) },
    async loadAhead() {
      await (loading ??= load())
      await import("#ground/snapshots/snapshots.ts")
    },
    begin() {
      parts.walls.warm()
      if (hasBegun) return
      hasBegun = true
      // Read-only commands run without the user's profile, and no snapshot is taken before them.
      if (parts.onlyReads) return workspace.processes.warm()
      workspace.shell.warm()
      parts.checkpoints.warm()
    },
  }
}
