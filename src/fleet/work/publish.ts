/** Commits what a session did, pushes it as a branch, and opens a pull request: each once, however often it is run. */

import type { PullRequest, PullWish } from "#ground/forges/forge.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import type { PublishOp } from "#fleet/ops.ts"
import type { OpAnswer } from "#fleet/records.ts"
import type { PublishedWork } from "#fleet/changes.ts"
import type { Workplace } from "./workplace.ts"

/** The failure is a sentence. */
export type OpenPull = (url: string, wish: PullWish) => Promise<Result<PullRequest, string>>

export interface PublishGround {
  readonly workplace: Pick<Workplace, "clone">
  /** Absent where none can be opened. */
  readonly openPull: OpenPull | undefined
  /** Keeps what was published, for those who look at the session. */
  readonly note: (work: PublishedWork) => Promise<void>
}

const refused = (message: string): OpAnswer => ({ ok: false, message })

export async function publishWork(
  { workplace: { clone }, openPull, note }: PublishGround,
  { message, branch, pull }: PublishOp,
  at: number,
): Promise<OpAnswer> {
  if (!clone) return refused(noCloneWords)
  const made = await clone.commit({ message, at })
  if (!made.ok) return refused(`Nothing was committed: ${made.failure}`)
  const { commit, isNew } = made.value
  if (!isNew && commit === clone.base)
    return refused("There is nothing to publish: no file differs from what the session began with.")
  const pushed = await clone.pushBranch(commit, branch)
  if (!pushed.ok) return refused(`${isNew ? "The changes were committed, but not pushed. " : ""}${pushed.failure}`)
  const opened = pull && openPull ? await openPull(clone.url, { ...pull, branch }) : undefined
  await note({ branch, commit, at, ...optional("pull", opened?.ok ? opened.value : undefined) })
  if (pull && !openPull) return refused(`The branch ${branch} was pushed. This worker opens no pull requests.`)
  if (opened?.ok === false)
    return refused(`The branch ${branch} was pushed, but the pull request was not opened: ${opened.failure}`)
  return {
    ok: true,
    value: { branch, commit, committed: isNew, ...optional("pull", opened?.ok ? { ...opened.value } : undefined) },
  }
}

const noCloneWords =
  "This session works in a folder, not in a clone of a repository. Ask the model to commit and push, or start a session with the address of the repository."
