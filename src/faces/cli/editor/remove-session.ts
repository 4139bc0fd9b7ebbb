/** Deletes one session, with what undo kept for it. */

import { isSessionId } from "#ground/transcript/session-logs.ts"
import { removeSession } from "#ground/transcript/remove.ts"
import { forgetSnapshots, knownSnapshots } from "#faces/cli/sessions/forget-snapshots.ts"
import { pickSession } from "#faces/cli/sessions/pick-session.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Only a whole id will do: nobody confirms it. */
export async function removeOne(id: string): Promise<Result<void, string>> {
  const where = whereWeAre()
  const picked = isSessionId(id) ? await pickSession(id, where) : failed(`No session has the id ${id}.`)
  if (!picked.ok) return picked
  const session = { sessionId: picked.value.id, logPath: picked.value.path }
  const before = await knownSnapshots(where.state)
  const done = removeSession(session, { pid: process.pid })
  if (!done.ok)
    return failed(
      done.failure.kind === "held"
        ? `Session ${id} is open in process ${done.failure.pid} and was not deleted.`
        : `Session ${id} could not be deleted.`,
    )
  await forgetSnapshots([session], where.state, before)
  return ok(undefined)
}
