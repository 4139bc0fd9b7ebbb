/** What can be asked of the server, and how a path finds its route. */

import { approvalRoutes } from "./approval-routes.ts"
import { coverageRoutes } from "./coverage-routes.ts"
import { changeRoutes } from "./change-routes.ts"
import { fleetRoutes } from "./fleet-routes.ts"
import { listRoutes } from "./list-routes.ts"
import { notifyRoutes } from "./notify-routes.ts"
import { quotaRoutes } from "./quota-routes.ts"
import type { Route } from "./route.ts"
import { shareRoutes } from "./share-routes.ts"
import { sessionRoutes } from "./session-routes.ts"

export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...approvalRoutes,
  ...coverageRoutes,
  ...changeRoutes,
  ...listRoutes,
  ...quotaRoutes,
  ...shareRoutes,
  ...notifyRoutes,
  ...fleetRoutes,
]

export interface FoundRoute {
  readonly route: Route
  readonly at: { readonly [name: string]: string }
}

export function findRoute(method: string, path: string): FoundRoute | undefined {
  for (const route of routes) {
    const at = route.method === method ? match(route.path, path) : undefined
    if (at) return { route, at }
  }
  return undefined
}

/** A part of a path is one name: nothing in it climbs. */
export function match(pattern: string, path: string): { readonly [name: string]: string } | undefined {
  const [expected, actual] = [pattern.split("/"), path.split("/")]
  if (expected.length !== actual.length) return undefined
  const at: Record<string, string> = {}
  for (const [nth, part] of expected.entries()) {
    const is = actual[nth] ?? ""
    if (part.startsWith(":")) {
      if (!/^[\w@-][\w.@-]{0,99}$/.test(is)) return undefined
      at[part.slice(1)] = is
    } else if (part !== is) return undefined
  }
  return at
}
