/** What clients do with sessions as a whole: look at all of them, make one, end one. */

import { fileURLToPath } from "node:url"
import type { JsonObject } from "#lib/json.ts"
import { ok } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import { mayAct } from "#faces/web/guard.ts"
import { whoseSessions } from "#faces/web/route.ts"
import { channelOf } from "./names.ts"
import { refused, type RpcAnswer, type Shared } from "./shared.ts"
import { summaryOf } from "./session-state.ts"

const usualPage = 50
const mostInPage = 200

export async function listSessions(
  { store, context }: Shared,
  params: JsonObject,
  who: TokenOwner,
): Promise<RpcAnswer> {
  const { limit, cursor } = params
  if (cursor !== undefined && (typeof cursor !== "string" || channelOf(`ahp-session:/${cursor}`) === undefined))
    return refused("invalidParams", "The cursor is not one of this server's.")
  const size = typeof limit === "number" ? Math.min(Math.max(1, Math.floor(limit)), mostInPage) : usualPage
  const createdBy = whoseSessions({ context, who })
  const found = await store.sessions.list({
    limit: size + 1,
    ...(cursor !== undefined && { after: cursor }),
    ...(createdBy !== undefined && { createdBy }),
  })
  const items = found.slice(0, size)
  const last = items.at(-1)
  return ok({
    result: { items: items.map(summaryOf), ...(found.length > size && last && { nextCursor: last.id }) },
  })
}

/** The session begins with its first message: until then nothing is kept of it. */
export async function createSession(shared: Shared, params: JsonObject, who: TokenOwner): Promise<RpcAnswer> {
  const channel = channelOf(String(params["channel"]))
  if (channel?.kind !== "session" || !/^[0-9a-f-]{36}$/.test(channel.sessionId))
    return refused("invalidParams", "channel must be ahp-session:/ and a UUID.")
  const allowed = mayAct(who, "operator")
  if (!allowed.ok) return refused("permissionDenied", allowed.failure.message, {})
  if (params["fork"] !== undefined) return refused("invalidParams", "Codewright cannot fork sessions in this way.")
  const [first] = Array.isArray(params["workingDirectories"]) ? params["workingDirectories"] : []
  const path = typeof first === "string" ? pathOf(first) : undefined
  if (path === undefined)
    return refused("invalidParams", "workingDirectories needs the folder of the session as a file: URI.")
  const { sessionId } = channel
  if ((await shared.store.sessions.get(sessionId)) || !shared.draft(sessionId, path, who))
    return refused("sessionAlreadyExists", "There is such a session already.")
  return ok({ result: null })
}

/** Undefined for what is no file of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    return new URL(uri).protocol === "file:" ? fileURLToPath(uri) : undefined
  } catch {
    return undefined
  }
}

/** A draft is forgotten; a session is canceled, and stays in the list. */
export async function disposeSession(shared: Shared, params: JsonObject, who: TokenOwner): Promise<RpcAnswer> {
  const channel = channelOf(String(params["channel"]))
  if (channel?.kind !== "session") return refused("invalidParams", "channel must be that of a session.")
  if (shared.takeDraft(channel.sessionId, who) !== undefined) return ok({ result: null })
  const ended = await shared.run(who, { method: "DELETE", path: `/api/sessions/${channel.sessionId}` })
  if (ended.ok) return ok({ result: null })
  const { code, message } = ended.failure
  return code === "not_found" ? refused("sessionNotFound", message) : refused("permissionDenied", message, {})
}
