/** `codewright stop`: interrupts sessions, in the background or in other terminals. */

import { openJobs } from "#fleet/background/jobs.ts"
import { progressOf } from "#fleet/background/progress.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { attachSession } from "#session/port/attach-session.ts"
import { socketOf } from "#faces/cli/sessions/shared-session.ts"
import type { OneCall } from "./session-command-call.ts"
import { pickAll } from "./pick-all.ts"
import type { ListedSession } from "./session-list.ts"

export async function stop(call: OneCall): Promise<number> {
  const { args, where, io } = call
  const picked = await pickAll(call, "stop")
  if (!picked.ok) return io.fail(picked.failure)
  const done: { readonly id: string; readonly stopped: boolean }[] = []
  let code = 0
  for (const session of picked.value) {
    const stopped = await stopOne(session, where.state)
    done.push({ id: session.id, stopped: stopped.ok })
    if (!stopped.ok) code = io.fail(stopped.failure)
    else if (!args.has("json")) io.say(`Stopped ${session.id.slice(0, 8)}  ${session.name}`)
  }
  if (args.has("json")) io.write(`${JSON.stringify(done)}\n`)
  return code
}

const lookEveryMs = 30
const looks = 200

/** The failure is a sentence. */
export async function stopOne(session: ListedSession, state: string): Promise<Result<void, string>> {
  const { id, path } = session
  if (session.state !== "working" && session.state !== "waiting")
    return failed(`${id.slice(0, 8)} does not work right now: it is ${session.state}.`)
  const jobs = openJobs(state, process.pid)
  if (!session.background) return interrupted(session, state)
  jobs.mark(id, "stopped")
  for (let poll = 0; session.pid !== undefined && path !== undefined && poll < looks; poll++) {
    const loaded = loadTail(path, { torn: "leave" })
    if (!loaded.ok || progressOf(loaded.value.entries).end) break
    await systemClock.sleep(lookEveryMs, new AbortController().signal)
  }
  return ok(undefined)
}

/** One that another terminal or editor has open. */
async function interrupted({ id, pid }: ListedSession, state: string): Promise<Result<void, string>> {
  if (pid === undefined) return failed(`${id.slice(0, 8)} is not open anywhere, so nothing runs.`)
  const attached = await attachSession(socketOf(state, id), { id, version })
  if (!attached.ok) return failed(`${id.slice(0, 8)} is open in process ${pid}, which does not answer. Stop it there.`)
  await attached.value.submit({ type: "interrupt" })
  await attached.value.close()
  return ok(undefined)
}
