/** Sharing a session: a link for a role, who has opened it, and handing it to somebody else. */

import { z, type ZodType } from "zod"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import type { FleetSession } from "#fleet/records.ts"
import type { SharedLink, SharedSession, Sharing } from "./page/contract-lists.ts"
import { refusal } from "./refusal.ts"
import { done, noSession, onOwned, type Route, type RouteAnswer, type RouteCall } from "./route.ts"

const linkBody: ZodType<{ readonly role: "viewer" | "operator"; readonly days?: number | undefined }> = z.strictObject({
  role: z.enum(["viewer", "operator"]),
  days: z.number().int().min(1).max(30).optional().describe("How long the link works; 7 when left out"),
})
const redeemBody: ZodType<{ readonly link: string }> = z.strictObject({ link: z.string().min(1).max(200) })
const handBody: ZodType<{ readonly to: string }> = z.strictObject({ to: z.string().min(1).max(100) })
const linkAnswer: ZodType<SharedLink> = z.object({
  link: z.string().describe("For the address of the page, after #/shared/"),
})
const sharedAnswer: ZodType<SharedSession> = z.object({ sessionId: z.string() })
const sharingAnswer: ZodType<Sharing> = z.object({
  people: z.array(z.object({ name: z.string(), role: z.enum(["viewer", "operator", "admin"]) })),
})

const usualDays = 7

export const shareRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/sessions/:id/sharing",
    about: "Lists the people a session is shared with.",
    needs: "operator",
    answers: { status: 200, body: sharingAnswer },
    run: onMine(async ({ records }, { id }) =>
      done<Sharing>({ people: (await records.sharing.with(id)).map(({ who: name, role }) => ({ name, role })) }),
    ),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/links",
    about:
      "Makes a link to a session for people who sign in here: as a viewer they see it, as an operator they decide in it, if their token lets them. It is shown this once.",
    needs: "operator",
    body: linkBody,
    answers: { status: 200, body: linkAnswer },
    run: onMine(async ({ records, context, who, body }, { id }) => {
      const { role, days = usualDays } = linkBody.parse(body)
      const seed = context.newSeed()
      await records.sharing.makeLink(id, { secret: context.secretFrom(seed), role, forMs: days * 86_400_000 }, who.name)
      return done({ seed })
    }),
    complete: async ({ context }, { seed }: JsonObject) => done<SharedLink>({ link: context.secretFrom(String(seed)) }),
  },
  {
    method: "DELETE",
    path: "/api/sessions/:id/sharing",
    about: "Ends the sharing of a session: nobody it was shared with sees it any more, and its links are over.",
    needs: "operator",
    answers: { status: 204 },
    run: onMine(async ({ records, who }, { id }) => {
      await records.sharing.revoke(id, undefined, who.name)
      return ok({ status: 204 })
    }),
  },
  {
    method: "POST",
    path: "/api/shared",
    about: "Opens a link that somebody shared: from then on this token's user has the session.",
    needs: "viewer",
    body: redeemBody,
    answers: { status: 200, body: sharedAnswer },
    async run({ records, who, body }) {
      const opened = await records.sharing.redeem(redeemBody.parse(body).link, who)
      if (opened.ok) return done<SharedSession>({ sessionId: opened.value })
      return failed(refusal("not_found", "This link does not work any more. Ask whoever sent it for another one."))
    },
  },
  {
    method: "POST",
    path: "/api/sessions/:id/owner",
    about: "Hands a session to somebody else: it is theirs from then on, with what it costs.",
    needs: "operator",
    body: handBody,
    answers: { status: 204 },
    run: onMine(async ({ records, who, body }, { id }) => {
      const { to } = handBody.parse(body)
      const handed = await records.sharing.handOver(id, to, who.name)
      if (handed.ok) return ok({ status: 204 })
      return handed.failure.kind === "no_such_session"
        ? noSession
        : failed(
            refusal(
              "invalid",
              `to: nobody named ${to} can take a session. They need a token with the role operator or admin.`,
            ),
          )
    }),
  },
]

/** Only its owner, or an admin: not those it was shared with. */
function onMine(run: (asked: RouteCall, session: FleetSession) => Promise<RouteAnswer>): Route["run"] {
  return onOwned(async (asked, session) =>
    asked.who.role === "admin" || session.createdBy === asked.who.name
      ? run(asked, session)
      : failed(
          refusal("forbidden", `This session belongs to ${session.createdBy}. Only they or an admin can share it.`),
        ),
  )
}
