/** The worktrees of agents that are still there: old ones without changes are removed, the others are named by `doctor`. */

import { readdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

const dayMs = 24 * 60 * 60 * 1000

const allIn = (state: string): string => join(state, "worktrees")

/** Paths of those of all repositories. */
export const keptWorktrees = (state: string): readonly string[] =>
  foldersIn(allIn(state)).flatMap((repository) => foldersIn(repository))

/** Removes those of this repository that a crash left behind. Git is run only where the user trusts the folder. */
export async function tidyWorktrees({
  cwd,
  state,
  trusted,
  loaded,
}: Pick<StartupContext, "cwd" | "state" | "trusted" | "loaded">): Promise<void> {
  const repository = findRepository(cwd)?.root
  if (!trusted || repository === undefined) return
  const folder = join(allIn(state), projectSlug(repository))
  const since = systemClock.now() - loaded.settings.cleanupPeriodDays * dayMs
  const old = foldersIn(folder).filter((path) => statSync(path).mtimeMs < since)
  if (old.length === 0) return
  const [{ openWorktrees }, { openProcesses }] = await Promise.all([
    import("#ground/workspace/git/worktree.ts"),
    import("#ground/workspace/processes/process.ts"),
  ])
  const scratch = join(tmpdir(), `codewright-${systemIds.uuid()}`)
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 1_000, drainMs: 500 })
  const env = (): Readonly<Record<string, string>> => childEnvironment(loaded.env)
  const worktrees = openWorktrees({ processes, clock: systemClock, env, repository, folder })
  for (const path of old) await worktrees.finish({ path, branch: `codewright/${path.slice(folder.length + 1)}` })
  await processes.close()
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(folder, entry.name)] : [],
    )
  } catch {
    return []
  }
}
