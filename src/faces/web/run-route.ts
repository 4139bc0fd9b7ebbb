/** What other doors than HTTP ask of the server: the same routes, with the same roles, limits and refusals. */

import { DatabaseLost } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import type { TokenOwner } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { bodyFrom } from "./body.ts"
import { mayAct } from "./guard.ts"
import type { Limit } from "./limits.ts"
import { refusal } from "./refusal.ts"
import type { RouteAnswer, ServerContext } from "./route.ts"
import { findRoute } from "./routes.ts"

export interface RouteWish {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: JsonObject
  /** The id of what is made. */
  readonly newId?: string
}

export type RunRoute = (who: TokenOwner, wish: RouteWish) => Promise<RouteAnswer>

export const openRunRoute =
  ({
    store: records,
    context,
    requests,
  }: {
    readonly store: FleetStore
    readonly context: ServerContext
    readonly requests: Limit
  }): RunRoute =>
  async (who, { method, path, body = {}, newId }) => {
    const found = findRoute(method, path)
    if (!found) return failed(refusal("not_found", "There is nothing here."))
    if (requests.waitFor(who.name) !== undefined)
      return failed(refusal("too_many", "Too many requests. Wait a moment, then try again."))
    const { route, at } = found
    const allowed = mayAct(who, route.needs)
    if (!allowed.ok) return allowed
    const checkedBody = route.body ? bodyFrom(body, route.body) : ok({})
    if (!checkedBody.ok) return checkedBody
    const named = newId === undefined ? context : { ...context, newId: () => newId }
    try {
      return await route.run({ records, context: named, who, at, query: {}, body: checkedBody.value, key: undefined })
    } catch (error) {
      if (!(error instanceof DatabaseLost)) throw error
      return failed(refusal("unavailable", "The database cannot be reached. Try again in a moment."))
    }
  }
