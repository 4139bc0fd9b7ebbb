/** Who may be told of what waits: whoever may decide about it now, by their role as it is now. */

import type { TokenOwner, FleetSession } from "#fleet/records.ts"
import type { FleetRecords } from "#fleet/store.ts"
import { maySteer, type ServerContext, sessionFor } from "./route.ts"

type Context = Pick<ServerContext, "owner" | "visibility" | "operatorsMayLeave">

/** Somebody who is not asking right now; undefined if they may not come in any more. */
async function personNamed(
  records: Pick<FleetRecords, "tokens">,
  { owner }: Pick<Context, "owner">,
  name: string,
): Promise<TokenOwner | undefined> {
  const role = name === owner ? "admin" : await records.tokens.roleOf(name)
  return role && { name, role }
}

/** The session, if this person may decide in it. */
export async function decidableBy(
  records: FleetRecords,
  context: Context,
  { name, sessionId }: { readonly name: string; readonly sessionId: string },
): Promise<{ readonly who: TokenOwner; readonly session: FleetSession } | undefined> {
  const who = await personNamed(records, context, name)
  const session = who && (await sessionFor({ records, who, context }, sessionId))
  return session && maySteer({ context, who }, session) ? { who, session } : undefined
}
