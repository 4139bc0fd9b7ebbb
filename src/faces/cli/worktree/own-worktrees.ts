/** The worktrees that sessions and agents have of a repository: where they are, and what git can do with them. */

import { tmpdir } from "node:os"
import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { mainRepository } from "#ground/workspace/git/git.ts"
import { openWorktrees, type Worktree, type WorktreeParts, type Worktrees } from "#ground/workspace/git/worktree.ts"
import { openWorktreeWorks, type WorktreeWorks } from "#ground/workspace/git/worktree-work.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { liesIn } from "#lib/lies-in.ts"
import { foldersIn } from "#lib/quietly.ts"

export interface NamedWorktree extends Worktree {
  readonly name: string
}

export interface OwnWorktrees extends AsyncDisposable {
  /** The folder that contains `.git` itself, not one of the worktrees. */
  readonly main: string
  readonly parts: WorktreeParts
  readonly git: Worktrees
  readonly works: WorktreeWorks
  readonly all: () => readonly NamedWorktree[]
  readonly named: (name: string) => NamedWorktree | undefined
  /** The one that a folder lies in. */
  readonly around: (folder: string) => NamedWorktree | undefined
}

/** Undefined outside a repository. Git runs in it: only where the user trusts the folder. */
export function openOwnWorktrees(place: {
  readonly cwd: string
  readonly state: string
  readonly env: RawEnvironment
}): OwnWorktrees | undefined {
  const main = mainRepository(place.cwd)
  if (main === undefined) return undefined
  const folder = join(place.state, "worktrees", projectSlug(main))
  const scratch = join(tmpdir(), `codewright-${systemIds.uuid()}`)
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 1_000, drainMs: 500 })
  const env = (): { readonly [name: string]: string } => childEnvironment(place.env)
  const parts: WorktreeParts = { processes, clock: systemClock, env, repository: main, folder }
  const all = (): readonly NamedWorktree[] =>
    foldersIn(folder).map((name) => ({ name, path: join(folder, name), branch: branchOf(name) }))
  return {
    main,
    parts,
    git: openWorktrees(parts),
    works: openWorktreeWorks(parts),
    all,
    named: (name) => all().find((one) => one.name === name),
    around: (inside) => all().find(({ path }) => liesIn(inside, path)),
    [Symbol.asyncDispose]: () => processes.close(),
  }
}

export const branchOf = (name: string): string => `codewright/${name}`
