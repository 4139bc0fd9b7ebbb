/** Copies files into a new worktree that git does not know and `.worktreeinclude` asks for, such as a local configuration. */

import { constants, existsSync, realpathSync } from "node:fs"
import { copyFile, lstat, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { liesIn } from "#lib/lies-in.ts"
import { ok, type Result } from "#lib/result.ts"
import { openGit, printed } from "./run-git.ts"
import type { WorktreeParts } from "./worktree.ts"

/** Patterns as in `.gitignore`, at the top of the repository. */
export const includeFile = ".worktreeinclude"

/** Only what is ignored by git is copied: all else is in a commit, or somebody's unfinished work. Returns what was copied; the failure is git's sentence. */
export async function includeIgnored(
  parts: Pick<WorktreeParts, "processes" | "clock" | "env" | "repository">,
  path: string,
  signal: AbortSignal,
): Promise<Result<readonly string[], string>> {
  const { repository } = parts
  if (!existsSync(join(repository, includeFile))) return ok([])
  const run = openGit(parts)
  const list = async (...argv: readonly string[]): Promise<Result<readonly string[], string>> => {
    const end = printed(await run(["ls-files", "-z", "--others", ...argv], repository, signal))
    return end.ok ? ok(end.value.split("\0").filter((file) => file !== "")) : end
  }
  const wanted = await list("--ignored", `--exclude-from=${includeFile}`)
  if (!wanted.ok) return wanted
  const unfinished = await list("--exclude-standard")
  if (!unfinished.ok) return unfinished
  const notIgnored = new Set(unfinished.value)
  const copied: string[] = []
  for (const file of wanted.value) {
    // Other repositories are listed as folders.
    if (notIgnored.has(file) || file.endsWith("/")) continue
    if (await copy(join(repository, file), path, file)) copied.push(file)
  }
  return ok(copied)
}

/** Links are not followed, neither where the file is nor where it goes. */
async function copy(from: string, root: string, file: string): Promise<boolean> {
  const to = join(root, file)
  try {
    if (!(await lstat(from)).isFile()) return false
    await mkdir(dirname(to), { recursive: true })
    if (!liesIn(realpathSync(dirname(to)), realpathSync(root))) return false
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return true
  } catch {
    return false
  }
}
