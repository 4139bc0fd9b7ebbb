/** `codewright rm`: takes sessions that have ended off the list. */

import { openJobs } from "#fleet/background/jobs.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OneCall } from "./one-call.ts"
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
    else if (!args.has("json")) io.say(`Removed ${session.id.slice(0, 8)}  ${session.name}`)
  }
  if (args.has("json")) io.write(`${JSON.stringify(done)}\n`)
  return code
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
