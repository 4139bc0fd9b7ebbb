/** `codewright rm`: takes sessions that have ended off the list. */

import { openJobs } from "#fleet/background/jobs.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OneCall } from "./one-call.ts"
import { pickListed } from "./pick-listed.ts"
import type { ListedSession } from "./session-list.ts"

export async function remove({ args, words, where, io }: OneCall): Promise<number> {
  if (words.length === 0) return io.fail("rm needs a session. List them with: codewright agents")
  const done: { readonly id: string; readonly removed: boolean }[] = []
  let code = 0
  for (const word of words) {
    const picked = await pickListed(word, where)
    const { session } = picked.ok ? picked.value : {}
    const removed = picked.ok ? removeOne(picked.value.session, where.state) : picked
    if (session) done.push({ id: session.id, removed: removed.ok })
    if (!removed.ok) code = io.fail(removed.failure)
    else if (session && !args.has("json")) io.say(`Removed ${session.id.slice(0, 8)}  ${session.name}`)
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
