/** Commits what a session has in its folder, on the branch that it has checked out there. The clone's own configuration starts nothing. */

import { failed, ok, type Result } from "#lib/result.ts"
import { packInto } from "./bring.ts"
import { type Checkout, identity, laneRef, openRunKeeper } from "./checkout.ts"
import { inOrder, type RunGit } from "./run.ts"

export interface CommitWish {
  readonly message: string
  /** Milliseconds; the same wish at the same time is the same commit. */
  readonly at: number
}

export interface Committed {
  readonly commit: string
  /** False if there was nothing to commit. */
  readonly isNew: boolean
}

/** The lane of the files is in the keeper, as the folder is now. */
export async function commitFiles(
  git: RunGit,
  checkout: Checkout,
  { message, at }: CommitWish,
): Promise<Result<Committed, string>> {
  const { tree, base } = checkout
  const run = openRunKeeper(git, checkout)
  const files = await run(["rev-parse", "--verify", `${laneRef("files")}:files`])
  const head = await git("local", tree, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
  if (!files.ok) return files
  if (!head.ok) return failed("The repository has no commit yet.")
  const before = await run(["rev-parse", "--verify", `${head.value}^{tree}`])
  if (before.ok && before.value === files.value) return ok({ commit: head.value, isNew: false })
  const stamp = `${Math.floor(at / 1000)} +0000`
  const made = await run([...identity, "commit-tree", files.value, "-p", head.value, "-F", "-"], {
    input: `${message.trim()}\n`,
    env: { GIT_AUTHOR_DATE: stamp, GIT_COMMITTER_DATE: stamp },
  })
  if (!made.ok) return made
  const put = await inOrder([
    () => packInto(run, { tree, base }, made.value, [head.value]),
    () => git("local", tree, ["update-ref", "HEAD", made.value, head.value]),
    // Only the list of files: nothing is read that a filter of the clone could change.
    () => git("local", tree, ["read-tree", made.value]),
  ])
  return put.ok ? ok({ commit: made.value, isNew: true }) : put
}
