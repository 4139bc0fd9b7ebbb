/** `--worktree`: a new session in a worktree of its own, so that it and the user's files do not disturb each other. */

import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { openApprovals } from "#ground/mcp/approvals.ts"
import { copyTrust } from "#ground/settings/trust.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { openWorktrees } from "#ground/workspace/git/worktree.ts"
import { includeFile, includeIgnored } from "#ground/workspace/git/worktree-include.ts"
import { counted } from "#lib/figures.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { type StartFailure, usage, wrong } from "#faces/cli/failure.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { branchOf, type OwnWorktrees, openOwnWorktrees } from "./own-worktrees.ts"

export interface EnteredWorktree {
  readonly name: string
  readonly branch: string
  /** The working folder in it: the one that corresponds to where the user is. */
  readonly folder: string
  readonly notes: readonly string[]
}

const validName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|lock$|$)){0,63}$/

/** `words`: what it is for, from which it gets its name if it was given none. */
export async function enterWorktree(
  args: Pick<Arguments<FlagName>, "has" | "value">,
  setting: StartupContext,
  words: string,
): Promise<Result<EnteredWorktree, StartFailure>> {
  if (args.has("resume") || args.has("continue"))
    return usage("--worktree is for new sessions. A session that is resumed continues in its own folder.")
  const requestedName = args.value("worktree") ?? ""
  if (requestedName !== "" && !validName.test(requestedName))
    return usage(`'${requestedName}' cannot name a worktree. Use letters, digits, dots and dashes, such as fix-login.`)
  const { cwd, home } = setting
  const own = openOwnWorktrees({ cwd, state: setting.state, env: setting.loaded.env })
  const root = findRepository(cwd)?.root
  if (!own || root === undefined)
    return wrong("--worktree needs a git repository, and this folder is in none. Run git init, or start without it.")
  await using opened = own
  if (!setting.trusted)
    return wrong(
      "--worktree runs git here, which is done only in folders that you trust. Start codewright here once, or add --trust.",
    )
  const signal = new AbortController().signal
  const name = requestedName === "" ? await freeName(words, opened, signal) : requestedName
  const isNew = opened.named(name) === undefined
  // It begins with the commit that is checked out where the user is, which may be a worktree, too.
  const made = await openWorktrees({ ...opened.parts, repository: root }).open(name, signal)
  if (!made.ok) return wrong(made.failure)
  const { path } = made.value
  const notes = isNew ? await included(opened, path) : []
  const same = join(path, relative(root, cwd))
  const folder = existsSync(same) ? same : path
  if (isNew) trustAlike(setting, folder)
  const where = `${isNew ? "Working" : "Continuing"} in the worktree ${tilde(path, home)} on the branch ${branchOf(name)}.`
  return ok({ name, branch: branchOf(name), folder, notes: [where, ...notes] })
}

/** What the user trusts is known by its content, so the same lines count in the copy, and others are asked about. */
function trustAlike({ cwd, home, state }: StartupContext, folder: string): void {
  copyTrust({ state, home }, cwd, folder)
  openApprovals(state).copy(cwd, folder)
}

async function included(own: OwnWorktrees, path: string): Promise<readonly string[]> {
  const done = await includeIgnored(own.parts, path, new AbortController().signal)
  if (!done.ok) return [`Nothing of ${includeFile} was copied: ${done.failure}`]
  return done.value.length === 0 ? [] : [`Copied ${counted(done.value.length, "file")} that ${includeFile} names.`]
}

const mostWords = 4

/** From the first words, with a number where another has the name. */
async function freeName(words: string, own: OwnWorktrees, signal: AbortSignal): Promise<string> {
  const plain = words.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = plain.slice(0, mostWords).join("-").slice(0, 40).replace(/-$/, "")
  const begin = slug === "" ? `session-${systemIds.uuid().slice(0, 6)}` : slug
  for (let n = 1; ; n++) {
    const name = n === 1 ? begin : `${begin}-${n}`
    if (!(await own.git.has(name, signal))) return name
  }
}
