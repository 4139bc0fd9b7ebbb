/** What can be asked of the server, and who may ask it. */

import { stages } from "#agent/words/stage.ts"
import { type ZodType, z } from "zod"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { TokenOwner, UserRole } from "#fleet/records.ts"
import type { Decision, FleetRecords } from "#fleet/store.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { shownApproval, shownSession, time } from "./shown.ts"

export interface RouteCall {
  readonly records: FleetRecords
  readonly who: TokenOwner
  /** What stands for `:name` in the path. */
  readonly at: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly body: JsonObject
}

export type RouteAnswer = Result<{ readonly status: number; readonly body?: JsonObject }, Refusal>

export interface Route {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly needs: UserRole
  /** Of what is posted: anything else is refused with its name. */
  readonly body?: ZodType
  readonly run: (asked: RouteCall) => Promise<RouteAnswer>
}

const digest = z.string().min(1).max(200)

const decisionBody = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  digest,
  remember: z.enum(["session", "project", "user"]).optional(),
  input: z.record(z.string(), z.json()).optional(),
  message: z.string().max(20_000).optional(),
})

const answersBody = z.strictObject({ digest, answers: z.record(z.string(), z.string().max(20_000)) })

const done = (body: JsonObject): RouteAnswer => ok({ status: 200, body })
const noSession: RouteAnswer = failed(refusal("not_found", "There is no such session."))

const routes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/me",
    needs: "viewer",
    run: async ({ who: { name, role } }) => done({ name, role }),
  },
  {
    method: "GET",
    path: "/api/sessions",
    needs: "viewer",
    async run({ records, query }) {
      const stage = stages.find((each) => each === query.get("stage"))
      if (query.get("stage") && !stage) return failed(refusal("invalid", `stage is one of ${stages.join(", ")}.`))
      const limit = wholeNumber(query.get("limit"), 50, 200)
      const after = query.get("after")
      const found = await records.sessions.list({ limit: limit + 1, ...(stage && { stage }), ...(after && { after }) })
      const page = found.slice(0, limit)
      const sessions = await Promise.all(
        page.map(async (session) => shownSession(session, await records.approvals.of(session.id))),
      )
      const last = page.at(-1)
      return done({ sessions, ...(found.length > limit && last && { next: last.id }) })
    },
  },
  {
    method: "GET",
    path: "/api/sessions/:id",
    needs: "viewer",
    async run({ records, at: { id = "" } }) {
      const session = await records.sessions.get(id)
      return session ? done(shownSession(session, await records.approvals.of(id))) : noSession
    },
  },
  {
    method: "DELETE",
    path: "/api/sessions/:id",
    needs: "operator",
    async run({ records, who, at: { id = "" } }) {
      return (await records.sessions.cancel(id, who.name)).ok ? ok({ status: 204 }) : noSession
    },
  },
  {
    method: "POST",
    path: "/api/sessions/:id/approvals/:approval",
    needs: "operator",
    body: decisionBody,
    run: (asked) => decide(asked, asked.body["decision"] === "allow"),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/answers/:approval",
    needs: "operator",
    body: answersBody,
    run: (asked) => decide(asked, true),
  },
  {
    method: "GET",
    path: "/api/approvals",
    needs: "viewer",
    async run({ records, query }) {
      if ((query.get("state") ?? "open") !== "open")
        return failed(refusal("invalid", "Only state=open can be listed here."))
      return done({ approvals: (await records.approvals.open()).map((each) => shownApproval(each, true)) })
    },
  },
  {
    method: "GET",
    path: "/api/workers",
    needs: "viewer",
    async run({ records }) {
      const workers = await records.leases.workers()
      return done({
        workers: workers.map((each) => ({ ...each, labels: [...each.labels], seenAt: time(each.seenAt) })),
      })
    },
  },
  {
    method: "GET",
    path: "/api/audit",
    needs: "admin",
    async run({ records, query }) {
      const entries = await records.audit(wholeNumber(query.get("after"), 0, Number.MAX_SAFE_INTEGER), 200)
      const next = entries.at(-1)?.seq
      return done({
        entries: entries.map(({ seq: _seq, at, ...entry }) => ({ ...entry, at: time(at) })),
        ...(entries.length === 200 && next !== undefined && { next: String(next) }),
      })
    },
  },
]

/** The first valid decision counts. It is kept as it was sent, for the worker that opens the session. */
async function decide({ records, who, at, body }: RouteCall, allows: boolean): Promise<RouteAnswer> {
  const { digest: shown, ...answer } = body
  const decision: Decision = {
    sessionId: at["id"] ?? "",
    approvalId: at["approval"] ?? "",
    digest: String(shown),
    allows,
    answer,
    by: who.name,
  }
  const decided = await records.approvals.decide(decision)
  if (decided.ok) return done(shownApproval(decided.value.approval, decided.value.isEffective))
  switch (decided.failure.kind) {
    case "no_such_approval":
      return failed(refusal("not_found", "There is no such approval."))
    case "void":
      return failed(refusal("void", "What was shown is not what would be done now. Look again, and decide about that."))
    case "expired":
      return failed(refusal("expired", "The time for this decision is over."))
  }
}

const wholeNumber = (text: string | null, otherwise: number, most: number): number =>
  text !== null && /^\d{1,15}$/.test(text) ? Math.min(Number(text), most) : otherwise

export interface FoundRoute {
  readonly route: Route
  readonly at: { readonly [name: string]: string }
}

/** The route of a path, or whether only the method is wrong. */
export function findRoute(method: string, path: string): FoundRoute | undefined {
  for (const route of routes) {
    const at = route.method === method ? match(route.path, path) : undefined
    if (at) return { route, at }
  }
  return undefined
}

/** A part of a path is one name: nothing in it climbs. */
export function match(pattern: string, path: string): { readonly [name: string]: string } | undefined {
  const [expected, given] = [pattern.split("/"), path.split("/")]
  if (expected.length !== given.length) return undefined
  const at: Record<string, string> = {}
  for (const [nth, part] of expected.entries()) {
    const is = given[nth] ?? ""
    if (part.startsWith(":")) {
      if (!/^[\w-]{1,100}$/.test(is)) return undefined
      at[part.slice(1)] = is
    } else if (part !== is) return undefined
  }
  return at
}
