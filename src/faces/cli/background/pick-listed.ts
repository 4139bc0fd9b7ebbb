/** Finds the session that is meant: by the beginning of its id, by its name, or by how its name begins. */

import { openJobs } from "#fleet/background/jobs.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { systemClock } from "#lib/clock.ts"
import { pickSession } from "#faces/cli/sessions/pick-session.ts"
import { nameOf } from "#faces/cli/sessions/session-line.ts"
import type { Where } from "#faces/cli/where.ts"
import { type ListedSession, type ListedSessions, sessionList } from "./session-list.ts"

export interface PickedSession {
  readonly session: ListedSession
  readonly list: ListedSessions
}

export async function pickListed(words: string | undefined, where: Where): Promise<Result<PickedSession, string>> {
  const meant = words?.trim() ?? ""
  if (meant === "") return failed("Give the id or the name of a session. List them with: codewright agents")
  const list = await sessionList(where, systemClock.now())
  const name = meant.toLowerCase()
  const ways: readonly ((one: ListedSession) => boolean)[] = [
    ({ id }) => id.startsWith(name),
    (one) => one.name.toLowerCase() === name,
    (one) => one.name.toLowerCase().startsWith(name),
  ]
  for (const way of ways) {
    const found = list.sessions.filter(way)
    const lines = found.map((one) => `${one.id}  ${one.name}`)
    if (found.length > 1) return failed(`Several sessions match '${meant}'. Give more of the id:\n${lines.join("\n")}`)
    for (const session of found) return ok({ session, list })
  }
  const older = await pickSession(meant, where)
  if (!older.ok) return failed(`No session has the id or name '${meant}'. List them with: codewright agents`)
  const { id, path, cwd, branch, model, costUsd, changed } = older.value
  const background = openJobs(where.state, process.pid).get(id) !== undefined
  const facts = { id, path, cwd, branch, model, costUsd, changedAt: changed, background }
  return ok({ session: { ...facts, name: nameOf(older.value), state: "done", last: "", questions: [] }, list })
}
