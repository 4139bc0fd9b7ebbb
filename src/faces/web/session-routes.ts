/** Sessions: making them, looking at them, and what may be asked of them. */

import { gateNames } from "#agent/words/gates.ts"
import type { JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { stages } from "#agent/words/stage.ts"
import { offeredTo } from "#fleet/answering.ts"
import type { FleetOrder, FleetSession, Order, OrderAnswer, WorkspaceSource } from "#fleet/records.ts"
import { mayAct } from "./guard.ts"
import { type Refusal, refusal } from "./refusal.ts"
import {
  done,
  maySpend,
  maySee,
  maySteer,
  noSession,
  onOwned,
  onSession,
  onSteered,
  type Route,
  type RouteAnswer,
  type RouteCall,
  whoseSessions,
} from "./route.ts"
import {
  emptyBody,
  eraseQuery,
  gateBody,
  gatesAnswer,
  messageBody,
  newSessionBody,
  queuedAnswer,
  rewindAnswer,
  rewindBody,
  sessionAnswer,
  sessionsAnswer,
  sessionsQuery,
  teamAnswer,
} from "./schemas.ts"
import { shownTeam } from "#team/shown.ts"
import { type SessionContext, shownSession } from "./shown.ts"
import { mayBeginIn, workspaceProblem } from "#fleet/workspaces.ts"

export const usualPage = 50

export const sessionRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/api/sessions",
    about: "Creates a session. A worker starts it as soon as one is free.",
    needs: "operator",
    body: newSessionBody,
    answers: { status: 201, body: sessionAnswer },
    run: create,
  },
  {
    method: "GET",
    path: "/api/sessions",
    about: "Lists sessions, newest first. next is the after of the next page.",
    needs: "viewer",
    query: sessionsQuery,
    answers: { status: 200, body: sessionsAnswer },
    run: list,
  },
  {
    method: "GET",
    path: "/api/sessions/:id",
    about: "Shows a session.",
    needs: "viewer",
    answers: { status: 200, body: sessionAnswer },
    run: onSession(async (asked, session) => {
      const approvals = await asked.records.approvals.of(session.id)
      return done(
        shownSession(session, {
          approvals: approvals.map((each) => offeredTo(asked.who.role, each)),
          mayChange: maySteer(asked, session),
          sharedWith: await sharedWith(asked, session),
        }),
      )
    }),
  },
  {
    method: "GET",
    path: "/api/sessions/:id/team",
    about: "Shows the team that a session is in: its members, tasks and mail.",
    needs: "viewer",
    answers: { status: 200, body: teamAnswer },
    run: onSession(async ({ office }, { id }) => {
      const team = await office.teamOf(id)
      return team ? done(shownTeam(team)) : failed(refusal("not_found", "The session is in no team."))
    }),
  },
  {
    method: "DELETE",
    path: "/api/sessions/:id",
    about:
      "Cancels a session, and whatever it does. With erase=true, which needs the role admin, nothing is kept of it: no log, no files, no approvals, and in the audit only that it was erased.",
    needs: "operator",
    query: eraseQuery,
    answers: { status: 204 },
    run: onOwned(async ({ records, who, query }, { id }) => {
      if (query["erase"] === "true") {
        const allowed = mayAct(who, "admin")
        if (!allowed.ok) return allowed
        return (await records.erasing.one(id, who.name)).ok ? ok({ status: 204 }) : noSession
      }
      return (await records.sessions.cancel(id, who.name)).ok ? ok({ status: 204 }) : noSession
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/messages",
    about: "Sends a message. A running session gets it at its next step; any other continues with it.",
    needs: "operator",
    body: messageBody,
    answers: { status: 202, body: queuedAnswer },
    run: onSteered(async (asked, session) => {
      const paid = await maySpend(asked, session.createdBy)
      return paid.ok ? queued(asked, session, { kind: "message", text: String(asked.body["text"]) }) : paid
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/interrupt",
    about: "Interrupts what a session does.",
    needs: "operator",
    body: emptyBody,
    answers: { status: 202, body: queuedAnswer },
    run: onOwned(async (asked, session) => queued(asked, session, { kind: "interrupt" })),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/rewind",
    about: "Goes back to before a prompt; with dryRun it only says what would change.",
    needs: "operator",
    body: rewindBody,
    answers: { status: 200, body: rewindAnswer },
    repeats: "itself",
    run: onSteered(rewind),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/gates",
    about:
      "Switches a gate for the rest of the session. What settings or the project ask for, only an admin switches off.",
    needs: "operator",
    body: gateBody,
    answers: { status: 200, body: gatesAnswer },
    repeats: "itself",
    run: onSteered(switchGate),
  },
]

const elsewhereWords = (places: readonly string[]): string =>
  places.length === 0
    ? "Only admins can start sessions here: server.workspaces in the settings is empty. Ask an admin to start one, or to add a place."
    : `Sessions can be started only in ${places.join(", ")}. An admin can start one elsewhere, or add to server.workspaces in the settings.`

async function create(asked: RouteCall): Promise<RouteAnswer> {
  const { records, office, who, body } = asked
  const wanted = newSessionBody.parse(body)
  const { prompt, workspace, mode = "default", model = "", title, budgetUsd, gates, labels = [] } = wanted
  const allowed = mayUse(mode, { who })
  if (!allowed.ok) return allowed
  if (who.role !== "admin" && office.workspaces && !mayBeginIn(workspace, office.workspaces))
    return failed(refusal("forbidden", elsewhereWords(office.workspaces)))
  const unusable = await folderProblem(asked, workspace, labels)
  if (unusable !== undefined) return failed(refusal("invalid", `workspace.path: ${unusable}`))
  const paid = await maySpend(asked, who.name)
  if (!paid.ok) return paid
  const openGates = gateNames.filter((gate) => gates?.[gate] === false)
  const [first] = openGates
  if (first !== undefined && who.role !== "admin")
    return failed(
      refusal(
        "forbidden",
        `Leaving out the gate ${first} needs the role admin. Send it without "${first}": false, or ask an admin.`,
      ),
    )
  const session = await records.sessions.create(
    {
      id: office.newId(),
      title: title ?? titleOf(prompt),
      query: prompt,
      mode,
      model,
      opening: {
        workspace,
        ...(budgetUsd !== undefined && { budgetUsd }),
        ...(gates && { gates }),
        ...(openGates.length > 0 && { openGates }),
        ...(mode === "bypassPermissions" && { mayBypass: true }),
        // With this visibility others may act in it who are not admins.
        ...((who.role !== "admin" || office.visibility === "all") && { confined: true }),
      },
      labels,
    },
    who.name,
  )
  const shared = await sharedWith(asked, session)
  return done(shownSession(session, { approvals: [], mayChange: true, sharedWith: shared }), 201)
}

/** Whether a session could work in this folder, as far as this machine knows: a worker elsewhere may have another folder of that name. */
async function folderProblem(
  { records, office }: RouteCall,
  workspace: WorkspaceSource,
  labels: readonly string[],
): Promise<string | undefined> {
  const { machine, workspaces = [] } = office
  if (!machine || !("path" in workspace)) return undefined
  const takers = (await records.leases.workers()).filter((each) => labels.every((label) => each.labels.includes(label)))
  const isHere = takers.length > 0 && takers.every(({ host }) => host === machine.host)
  return workspaceProblem(workspace.path, { home: machine.home, allowed: workspaces, isHere })
}

async function sharedWith(asked: RouteCall, session: FleetSession): Promise<SessionContext["sharedWith"]> {
  const { records, who, office } = asked
  const others = await records.sessions.sharingFolder(session.id)
  if (others.length === 0) return undefined
  return { count: others.length, sessions: others.filter((other) => maySee(who, other, office.visibility)) }
}

/** Nobody who may not change the rules can have them left out. */
export function mayUse(mode: JsonValue | undefined, { who }: Pick<RouteCall, "who">): RouteAnswer {
  if (mode !== "bypassPermissions" || who.role === "admin") return ok({ status: 200 })
  return failed(refusal("forbidden", "The mode bypassPermissions needs the role admin."))
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n")[0] ?? ""
  return line.length <= 80 ? line : `${line.slice(0, 79).trimEnd()}…`
}

async function list(asked: RouteCall): Promise<RouteAnswer> {
  const { records, query } = asked
  const { stage, limit = usualPage, after } = query as { stage?: string; limit?: number; after?: string }
  const createdBy = whoseSessions(asked)
  const found = await records.sessions.list({
    limit: limit + 1,
    ...(stage !== undefined && { stages: stages.filter((each) => stage.split(",").includes(each)) }),
    ...(after !== undefined && { after }),
    ...(createdBy !== undefined && { createdBy }),
  })
  const page = found.slice(0, limit)
  const approvals = await records.approvals.ofAll(page.map(({ id }) => id))
  const last = page.at(-1)
  return done({
    sessions: page.map((session) =>
      shownSession(session, {
        approvals: approvals.filter(({ sessionId }) => sessionId === session.id),
        mayChange: maySteer(asked, session),
      }),
    ),
    ...(found.length > limit && last && { next: last.id }),
  })
}

async function queued(asked: RouteCall, { id }: FleetSession, order: Order): Promise<RouteAnswer> {
  const given = await give(asked, id, asked.office.newId(), order)
  return given.ok ? done({ queued: given.value.id }, 202) : given
}

async function give(
  { records, who }: RouteCall,
  sessionId: string,
  orderId: string,
  order: Order,
): Promise<{ readonly ok: true; readonly value: FleetOrder } | (RouteAnswer & { readonly ok: false })> {
  const given = await records.orders.give(sessionId, orderId, order, who.name)
  if (given.ok) return given
  const isGone = given.failure.kind === "no_such_session"
  return isGone
    ? failed(refusal("not_found", "There is no such session."))
    : failed(refusal("conflict", "The session was cancelled. Create a new one."))
}

/** The session does it, so a worker must take it first. The order has an id of the key: whoever asks again gets to know how it went. */
async function rewind(asked: RouteCall, { id }: FleetSession): Promise<RouteAnswer> {
  const { to, files, conversation, dryRun = false } = rewindBody.parse(asked.body)
  const answer = await carriedOut(asked, id, { kind: "rewind", to, files, conversation, dryRun }, "rewound the session")
  if (!answer.ok) return answer
  return answer.value.ok ? done(answer.value.value) : failed(refusal("conflict", answer.value.message))
}

/** What files ask for is known where the session is opened, so that is where it is judged. */
async function switchGate(asked: RouteCall, { id }: FleetSession): Promise<RouteAnswer> {
  const { gate, on } = gateBody.parse(asked.body)
  const limits = asked.who.role === "admin" ? {} : ({ limits: "session" } as const)
  const answer = await carriedOut(asked, id, { kind: "gate", gate, on, ...limits }, `switched the gate ${gate}`)
  if (!answer.ok) return answer
  return answer.value.ok ? done(answer.value.value) : failed(refusal("forbidden", answer.value.message))
}

/** What came of an order that a worker carries out while the client waits; `deed` is what no worker has done yet. */
async function carriedOut(
  asked: RouteCall,
  sessionId: string,
  order: Order,
  deed: string,
): Promise<Result<OrderAnswer, Refusal>> {
  const { office, who, key } = asked
  const orderId = key === undefined ? office.newId() : `${who.name}:${key}`
  const given = await give(asked, sessionId, orderId, order)
  if (!given.ok) return given
  if (JSON.stringify(given.value.order) !== JSON.stringify(order)) return failed(keyReused)
  const { answer } = await office.carriedOut(given.value)
  if (answer) return ok(answer)
  return failed(
    refusal(
      "unavailable",
      `No worker has ${deed} yet. It stays in the queue; ask again with the same Idempotency-Key to learn how it went.`,
    ),
  )
}

export const keyReused: Refusal = refusal("conflict", "This Idempotency-Key was used for another request.")
