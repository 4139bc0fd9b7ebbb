/** Brings what another session has committed into a session's clone, as a branch, without asking the clone's own configuration anything. */

import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Checkout, objectsOf, openRunKeeper, type RunKeeper } from "./checkout.ts"
import { decodeNote, type TreeNote } from "./note.ts"
import { inOrder, type RunGit } from "./run.ts"

/** `head`: whatever branch it has checked out. */
export type BranchRequest = { readonly branch: string } | "head"

export interface Brought {
  readonly branch: string
  readonly commit: string
  /** Files that it has changed and not committed, without those that git does not know yet. */
  readonly uncommitted: readonly string[]
  readonly author: TreeNote["author"]
}

/** Where the keeper has what was kept of another session. */
export const broughtRef = (session: string): string => `refs/codewright/brought/${session}`

/** What was kept of the session is in the keeper. The failure is a sentence without its end. */
export async function bringBranch(
  git: RunGit,
  checkout: Checkout,
  session: string,
  wish: BranchRequest,
): Promise<Result<Brought, string>> {
  const { tree } = checkout
  const run = openRunKeeper(git, checkout)
  const text = await run(["cat-file", "blob", `${broughtRef(session)}:note`])
  if (!text.ok) return text
  const note = decodeNote(text.value)
  if (!note) return failed("what was kept was made by a newer version of Codewright")
  const branch = wish === "head" ? note.head : wish.branch
  const commit = commitOf(note, branch)
  if (commit === undefined)
    return failed(wish === "head" ? "it has no branch checked out" : `its branch ${branch} is gone`)
  const ref = `refs/heads/${branch}`
  const head = await git("local", tree, ["symbolic-ref", "--quiet", "HEAD"])
  if (head.ok && head.value === ref) return failed(`the branch ${branch} is checked out here`)
  const before = await git("local", tree, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])
  const done = await inOrder([
    () => packInto(run, checkout, commit, before.ok ? [before.value] : []),
    () => git("local", tree, ["update-ref", ref, commit]),
  ])
  if (!done.ok) return done
  const uncommitted = await uncommittedIn(run, session, note)
  return uncommitted.ok ? ok({ branch, commit, uncommitted: uncommitted.value, author: note.author }) : uncommitted
}

const commitOf = ({ refs }: TreeNote, branch: string): string | undefined =>
  refs.find(({ name, tag }) => name === `refs/heads/${branch}` && tag === undefined)?.id

/** Straight to the objects of the clone: fetching there would follow what its configuration says. */
export function packInto(
  run: RunKeeper,
  { tree, base }: Pick<Checkout, "tree" | "base">,
  commit: string,
  known: readonly string[],
): Promise<Result<string, string>> {
  const input = [commit, ...[base, ...known].map((id) => `^${id}`)].map((line) => `${line}\n`).join("")
  const into = join(objectsOf({ tree }), "pack", "pack")
  return run(["pack-objects", "--quiet", "--revs", "--non-empty", "--no-sparse", into], { input })
}

async function uncommittedIn(
  run: RunKeeper,
  session: string,
  { head, refs, staged }: TreeNote,
): Promise<Result<readonly string[], string>> {
  const at = refs.find(({ name, tag }) => name === `refs/heads/${head}` && tag === undefined)?.id ?? head
  const differences = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=a"]
  const changed = await run([...differences, at, `${broughtRef(session)}:files`])
  if (!changed.ok) return changed
  const files = changed.value.split("\0").filter((path) => path !== "")
  return ok([...new Set([...files, ...staged.map(({ path }) => path)])].sort())
}
