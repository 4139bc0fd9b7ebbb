/** Sessions: making them, looking at them, and what may be asked of them. */

import { gateNames } from "#agent/words/gates.ts"
import type { JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import { stages } from "#agent/words/stage.ts"
import { offeredTo } from "#fleet/answering.ts"
import { type FleetOp, type MessageImage, messageOp } from "#fleet/ops.ts"
import type { FleetSession, WorkspaceSource } from "#fleet/records.ts"
import { mayAct } from "./guard.ts"
import { answeredOp, queueOp } from "./op-answers.ts"
import { refusal } from "./refusal.ts"
import {
  done,
  maySpend,
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
  type GivenImage,
  gateBody,
  latestQuery,
  messageBody,
  newSessionBody,
  opBody,
  rewindBody,
  sessionsQuery,
} from "./request-schemas.ts"
import {
  gatesAnswer,
  latestAnswer,
  queuedAnswer,
  rewindAnswer,
  sessionAnswer,
  sessionsAnswer,
  teamAnswer,
} from "./answer-schemas.ts"
import { shownTeam } from "#team/shown.ts"
import type { LatestEvents, SessionPage, ShownSession } from "./page/contract.ts"
import { mayContinue, sharedRefusal, sharedWith } from "./shared-folders.ts"
import { shownSession } from "./shown.ts"
import { mayBeginIn, workspaceProblem } from "#fleet/workspaces.ts"

export const usualPage = 50

/** Of a body that may have pictures in it. */
const withImages = 20_000_000

export const sessionRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/api/sessions",
    about: "Creates a session. A worker starts it as soon as one is free.",
    needs: "operator",
    body: newSessionBody,
    mostBytes: withImages,
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
    run: onSession(show),
  },
  {
    method: "GET",
    path: "/api/sessions/:id/latest",
    about: "The newest events of a session, as /events has them. total is the id of the newest one.",
    needs: "viewer",
    query: latestQuery,
    answers: { status: 200, body: latestAnswer },
    run: onSession(async ({ records, query }, { id, events: total }) => {
      const limit = Number(query["limit"] ?? usualPage)
      const events = await records.lines.events(id, Math.max(0, total - limit), limit)
      return done<LatestEvents>({ events: events.map(({ seq, type, data }) => ({ id: seq, type, data })), total })
    }),
  },
  {
    method: "GET",
    path: "/api/sessions/:id/team",
    about: "Shows the team that a session is in: its members, tasks and mail.",
    needs: "viewer",
    answers: { status: 200, body: teamAnswer },
    run: onSession(async ({ context }, { id }) => {
      const team = await context.teamOf(id)
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
    mostBytes: withImages,
    answers: { status: 202, body: queuedAnswer },
    run: onSteered(async (asked, session) => {
      const paid = await maySpend(asked, session.createdBy, session.opening.workspace)
      if (!paid.ok) return paid
      const free = await mayContinue(asked, session)
      const { text, images } = messageBody.parse(asked.body)
      return free.ok ? queued(asked, session, messageOp(text, images?.map(imageBlock))) : free
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/interrupt",
    about: "Interrupts what a session does.",
    needs: "operator",
    body: emptyBody,
    answers: { status: 202, body: queuedAnswer },
    run: onOwned(async (asked, session) => queued(asked, session, { type: "interrupt" })),
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
  {
    method: "POST",
    path: "/api/sessions/:id/ops",
    about: "Renames a session, or sets its mode, model or budget, whether it works, waits or is over.",
    needs: "operator",
    body: opBody,
    answers: { status: 200, body: sessionAnswer },
    repeats: "itself",
    run: onSteered(change),
  },
]

const elsewhereWords = (places: readonly string[]): string =>
  places.length === 0
    ? "Only admins can start sessions here: server.workspaces in the settings is empty. Ask an admin to start one, or to add a place."
    : `Sessions can be started only in ${places.join(", ")}. An admin can start one elsewhere, or add to server.workspaces in the settings.`

async function create(asked: RouteCall): Promise<RouteAnswer> {
  const { records, context, who, body } = asked
  const wanted = newSessionBody.parse(body)
  const { prompt, workspace, mode = "default", model = "", title, budgetUsd, gates, labels = [], images } = wanted
  const allowed = mayUse(mode, { who })
  if (!allowed.ok) return allowed
  if (who.role !== "admin" && context.workspaces && !mayBeginIn(workspace, context.workspaces))
    return failed(refusal("forbidden", elsewhereWords(context.workspaces)))
  const unusable = await folderProblem(asked, workspace, labels)
  if (unusable !== undefined) return failed(refusal("invalid", `workspace.path: ${unusable}`))
  const paid = await maySpend(asked, who.name, workspace)
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
  const alone = context.sharedFolders === "refuse"
  const createArgs: Parameters<typeof records.sessions.create> = [
    {
      id: context.newId(),
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
        ...((who.role !== "admin" || context.visibility === "all") && { confined: true }),
      },
      labels,
    },
    who.name,
    images?.map(imageBlock),
  ]
  const made = alone
    ? await records.sessions.createAlone(...createArgs)
    : ok<FleetSession>(await records.sessions.create(...createArgs))
  if (!made.ok) return failed(sharedRefusal(asked, made.failure.others))
  const session = made.value
  const shared = await sharedWith(asked, session)
  return done<ShownSession>(shownSession(session, { approvals: [], mayChange: true, sharedWith: shared }), 201)
}

const imageBlock = ({ mediaType, data }: GivenImage): MessageImage => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data },
})

/** Whether a session could work in this folder, as far as this machine knows: a worker elsewhere may have another folder of that name. */
async function folderProblem(
  { records, context }: RouteCall,
  workspace: WorkspaceSource,
  labels: readonly string[],
): Promise<string | undefined> {
  const { machine, workspaces = [] } = context
  if (!machine || !("path" in workspace)) return undefined
  const takers = (await records.leases.workers()).filter((each) => labels.every((label) => each.labels.includes(label)))
  const isHere = takers.length > 0 && takers.every(({ host }) => host === machine.host)
  return workspaceProblem(workspace.path, { home: machine.home, allowed: workspaces, isHere })
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

interface SessionsQuery {
  readonly stage?: string
  readonly search?: string
  readonly by?: string
  readonly place?: string
  readonly model?: string
  readonly limit?: number
  readonly after?: string
}

async function list(asked: RouteCall): Promise<RouteAnswer> {
  const { records, query } = asked
  const { limit = usualPage } = query as SessionsQuery
  const found = await listed(asked, limit + 1)
  const page = found.slice(0, limit)
  const approvals = await records.approvals.ofAll(page.map(({ id }) => id))
  const last = page.at(-1)
  return done<SessionPage>({
    sessions: page.map((session) =>
      shownSession(session, {
        approvals: approvals.filter(({ sessionId }) => sessionId === session.id),
        mayChange: maySteer(asked, session),
      }),
    ),
    ...(found.length > limit && last && { next: last.id }),
  })
}

async function listed(asked: RouteCall, limit: number): Promise<readonly FleetSession[]> {
  const { lists, sessions } = asked.records
  const { stage, search, by, place, model, after } = asked.query as SessionsQuery
  const visibleTo = whoseSessions(asked)
  const wanted = stage === undefined ? undefined : stages.filter((each) => stage.split(",").includes(each))
  if ([search, by, place, model].every((each) => each === undefined))
    return sessions.list({
      limit,
      ...optional("stages", wanted),
      ...optional("after", after),
      ...optional("createdBy", visibleTo),
    })
  const ids = await lists.find({ words: search, createdBy: by, visibleTo, stages: wanted, place, model, limit, after })
  const found = await Promise.all(ids.map(sessions.get))
  return found.flatMap((session) => session ?? [])
}

async function show(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const approvals = await asked.records.approvals.of(session.id)
  return done(
    shownSession(session, {
      approvals: approvals.map((each) => offeredTo(asked.who.role, each)),
      mayChange: maySteer(asked, session),
      sharedWith: await sharedWith(asked, session),
    }),
  )
}

async function queued(asked: RouteCall, { id }: FleetSession, op: FleetOp): Promise<RouteAnswer> {
  const added = await queueOp(asked, id, asked.context.newId(), op)
  return added.ok ? done({ queued: added.value.id }, 202) : added
}

async function rewind(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const { id } = session
  const { to, files, conversation, dryRun = false } = rewindBody.parse(asked.body)
  const free = dryRun || !files ? ok({ status: 200 }) : await mayContinue(asked, session)
  if (!free.ok) return free
  if (!files && !conversation)
    return failed(refusal("conflict", "Nothing would change: choose files, conversation or both."))
  const about = { to, conversation, dryRun }
  if (dryRun && !files) return done({ ...about, files: [], conflicts: [], uncovered: [] })
  const what = files && conversation ? "both" : files ? "files" : "conversation"
  const op: FleetOp = dryRun ? { type: "preview", promptId: to } : { type: "rewind", promptId: to, what }
  const answer = await answeredOp(asked, id, op, "rewound the session")
  if (!answer.ok) return answer
  return answer.value.ok ? done({ ...answer.value.value, ...about }) : failed(refusal("conflict", answer.value.message))
}

/** What files ask for is known where the session is opened, so that is where it is judged. */
async function switchGate(asked: RouteCall, { id }: FleetSession): Promise<RouteAnswer> {
  const { gate, on } = gateBody.parse(asked.body)
  const { name: by, role } = asked.who
  const op: FleetOp = { type: "set_gate", gate, on, by, ...(role !== "admin" && { limits: "session" }) }
  const answer = await answeredOp(asked, id, op, `switched the gate ${gate}`)
  if (!answer.ok) return answer
  return answer.value.ok ? done(answer.value.value) : failed(refusal("forbidden", answer.value.message))
}

async function change(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const op = opBody.parse(asked.body)
  const allowed = mayUse(op.type === "set_mode" ? op.mode : undefined, asked)
  if (!allowed.ok) return allowed
  const answer = await answeredOp(asked, session.id, op, "done that")
  if (!answer.ok) return answer
  if (!answer.value.ok) return failed(refusal("conflict", answer.value.message))
  return show(asked, (await asked.records.sessions.get(session.id)) ?? session)
}
