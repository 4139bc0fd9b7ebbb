/** Several sessions in one folder: who else is there, and whether that is allowed (`server.sharedFolders`). */

import { isOver } from "#agent/words/stage.ts"
import { failed, ok } from "#lib/result.ts"
import type { FleetSession } from "#fleet/records.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { maySee, type RouteAnswer, type RouteCall } from "./route.ts"
import type { SessionContext } from "./shown.ts"

export async function sharedWith(asked: RouteCall, session: FleetSession): Promise<SessionContext["sharedWith"]> {
  const others = await asked.records.sessions.sharingFolder(session.id)
  return others.length === 0 ? undefined : { count: others.length, sessions: visible(asked, others) }
}

/** For what makes a session work in its folder again once it is over. */
export async function mayContinue(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  if (asked.context.sharedFolders !== "refuse" || !isOver(session.stage)) return ok({ status: 200 })
  const others = await asked.records.sessions.sharingFolder(session.id)
  return others.length === 0 ? ok({ status: 200 }) : failed(sharedRefusal(asked, others))
}

/** Names only what this user sees. */
export function sharedRefusal(asked: RouteCall, others: readonly FleetSession[]): Refusal {
  const [seen] = visible(asked, others)
  const who = seen ? `The session "${seen.title}" (${seen.id.slice(0, 8)})` : "Another session"
  return refusal(
    "conflict",
    `${who} works in this folder, and on this server sessions do not share one (server.sharedFolders). Wait until it is over or cancel it, or choose another folder or a repository.`,
  )
}

const visible = ({ who, context }: RouteCall, sessions: readonly FleetSession[]): readonly FleetSession[] =>
  sessions.filter((session) => maySee(who, session, context.visibility))
