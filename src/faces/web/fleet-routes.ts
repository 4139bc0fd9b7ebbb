/** The fleet itself: its workers, who may come in, and who did what. */

import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"
import { programNames } from "#fleet/records.ts"
import { optionalTime, time } from "#fleet/shown-approval.ts"
import type { AuditPage, SignedIn, WorkerList } from "./page/contract.ts"
import { refusal } from "./refusal.ts"
import { done, type Route, type RouteAnswer, type RouteCall } from "./route.ts"
import { auditAnswer, meAnswer, tokenAnswer, tokensAnswer, workersAnswer } from "./answer-schemas.ts"
import { auditQuery, newTokenBody } from "./request-schemas.ts"
import { optional } from "#lib/optional.ts"

const auditPage = 200

export const fleetRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/me",
    about: "Says whose token this is.",
    needs: "viewer",
    answers: { status: 200, body: meAnswer },
    run: async ({ who: { name, role } }) => done<SignedIn>({ name, role }),
  },
  {
    method: "GET",
    path: "/api/workers",
    about: "Lists the workers and how busy they are.",
    needs: "viewer",
    answers: { status: 200, body: workersAnswer },
    async run({ records }) {
      const workers = await records.leases.workers()
      return done<WorkerList>({ workers: workers.map((each) => ({ ...each, seenAt: time(each.seenAt) })) })
    },
  },
  {
    method: "GET",
    path: "/api/audit",
    about:
      "Who did what, oldest first; next is the after of the next page. With order=newest, the latest comes first, next is the before of the next page, and who keeps to one person.",
    needs: "admin",
    query: auditQuery,
    answers: { status: 200, body: auditAnswer },
    async run({ records, query }) {
      const { before, who } = query
      const from = {
        before: typeof before === "number" ? before : undefined,
        who: typeof who === "string" ? who : undefined,
      }
      const entries =
        query["order"] === "newest"
          ? await records.recentAudit(from, auditPage)
          : await records.audit(Number(query["after"] ?? 0), auditPage)
      const next = entries.at(-1)?.seq
      return done<AuditPage>({
        entries: entries.map(({ seq: _seq, at, ...entry }) => ({ ...entry, at: time(at) })),
        ...(entries.length === auditPage && next !== undefined && { next: String(next) }),
      })
    },
  },
  {
    method: "GET",
    path: "/api/tokens",
    about: "Lists the tokens that are valid, without their secrets.",
    needs: "admin",
    answers: { status: 200, body: tokensAnswer },
    async run({ records }) {
      const tokens = await records.tokens.list()
      return done({
        tokens: tokens.map(({ name, role, expiresAt }) => ({
          name,
          role,
          ...optional("expiresAt", optionalTime(expiresAt)),
        })),
      })
    },
  },
  {
    method: "POST",
    path: "/api/tokens",
    about: "Makes a token. It is shown this once; only a digest of it is kept.",
    needs: "admin",
    body: newTokenBody,
    answers: { status: 200, body: tokenAnswer },
    run: makeToken,
    complete: tellToken,
  },
  {
    method: "DELETE",
    path: "/api/tokens/:name",
    about: "Revokes a token, and signs out every browser that signed in with it.",
    needs: "admin",
    answers: { status: 204 },
    async run({ records, who, at: { name = "" } }) {
      if (await records.tokens.revoke(name, who.name)) return ok({ status: 204 })
      return failed(refusal("not_found", `There is no token named ${name}.`))
    },
  },
  {
    method: "DELETE",
    path: "/api/users/:name",
    about:
      "Erases what is kept of a user: sessions with everything in them, tokens and sign-ins. What the user did in sessions of others stays, without the name.",
    needs: "admin",
    answers: { status: 204 },
    async run({ records, context, who, at: { name = "" } }) {
      if ([context.owner, who.name].includes(name))
        return failed(
          refusal("invalid", `${name} runs this server or sent this request. Use the token of another admin.`),
        )
      await records.erasing.person(name, who.name)
      return ok({ status: 204 })
    },
  },
]

/** The secret follows from a seed, so that the answer to a key can be given again without keeping the secret. */
async function makeToken({ records, context, who, body }: RouteCall): Promise<RouteAnswer> {
  const { name, role, expiresAt } = newTokenBody.parse(body)
  const isOurs = [context.owner, ...Object.values(programNames)].some((own) => own.toLowerCase() === name.toLowerCase())
  if (isOurs) return failed(refusal("invalid", `name: ${name} is a name of the server itself. Choose another name.`))
  const until = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  if (until !== undefined && until <= context.now())
    return failed(refusal("invalid", "expiresAt: is in the past. Give a later time, or leave it out."))
  const seed = context.newSeed()
  const made = await records.tokens.add({ name, role }, context.secretFrom(seed), until, who.name)
  if (made.ok) return done({ seed })
  return failed(refusal("conflict", `There is a token named ${name}. Revoke it first, or choose another name.`))
}

/** A token that was revoked is not made again by whoever repeats the request. */
async function tellToken({ records, context }: RouteCall, { seed }: JsonObject): Promise<RouteAnswer> {
  const token = context.secretFrom(String(seed))
  if (await records.tokens.owner(tokenDigest(token))) return done({ token })
  return failed(
    refusal("conflict", "The token that was made with this Idempotency-Key is not valid any more. Use another key."),
  )
}
