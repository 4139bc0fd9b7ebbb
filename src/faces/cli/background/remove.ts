/** `codewright rm`: takes sessions that have ended off the list. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { openJobs } from "#fleet/background/jobs.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { isBelow } from "#lib/lies-in.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OneCall } from "./session-command-call.ts"
import { pickAll } from "./pick-all.ts"
import type { ListedSession } from "./session-list.ts"

export async function remove(call: OneCall): Promise<number> {
  const { args, where, io } = call
  const picked = await pickAll(call, "rm")
  if (!picked.ok) return io.fail(picked.failure)
  const done: { readonly id: string; readonly removed: boolean }[] = []
  let code = 0
  for (const session of picked.value) {
    const removed = removeOne(session, where.state)
    done.push({ id: session.id, removed: removed.ok })
    if (!removed.ok) code = io.fail(removed.failure)
    else {
      const kept = await removeWorktree(session, where.state)
      if (!args.has("json")) io.say(`Removed ${session.id.slice(0, 8)}  ${session.name}${kept}`)
    }
  }
  if (args.has("json")) io.write(`${JSON.stringify(done)}\n`)
  return code
}

/** One without changes goes with its session, and any other stays. Returns what to say of it. */
async function removeWorktree({ cwd }: ListedSession, state: string): Promise<string> {
  if (!isBelow(cwd, join(state, "worktrees")) || !existsSync(cwd)) return ""
  const { openOwnWorktrees } = await import("#faces/cli/worktree/own-worktrees.ts")
  const own = openOwnWorktrees({ cwd, state, env: processEnvironment() })
  if (!own) return ""
  await using opened = own
  const worktree = opened.around(cwd)
  const finished = worktree && (await opened.git.finish(worktree))
  if (!finished || (finished.ok && finished.value === "removed")) return ""
  return `\nIts worktree ${worktree.name} has changes and is kept. Merge it: codewright worktree merge ${worktree.name}`
}

/** The failure is a sentence. */
export function removeOne({ id, pid, state: how }: ListedSession, state: string): Result<void, string> {
  const short = id.slice(0, 8)
  if (how === "working") return failed(`${short} is working. Stop it first: codewright stop ${short}`)
  if (pid !== undefined && how === "open") return failed(`${short} is open in process ${pid}. Close it there first.`)
  const jobs = openJobs(state, process.pid)
  jobs.remove(id)
  jobs.mark(id, "removed")
  return ok(undefined)
}
