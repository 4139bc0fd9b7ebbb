/** What a route is: what it takes, who may ask, what it answers. */

import type { TeamOverview } from "#agent/words/team.ts"
import { type ZodType } from "zod"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { budgetProblem, type FleetBudgets } from "#fleet/budgets.ts"
import type { FleetSession, QueuedOp, SessionQuotas, TokenOwner, UserRole, WorkspaceSource } from "#fleet/records.ts"
import type { Device } from "#fleet/store/telling.ts"
import type { FleetRecords } from "#fleet/store.ts"
import { type Machine, repositoryOf } from "#fleet/workspaces.ts"
import { type Refusal, refusal } from "./refusal.ts"

/** What routes need besides the records. */
export interface ServerContext {
  readonly newId: () => string
  /** The name of whoever started the server. */
  readonly owner: string
  readonly now: () => number
  readonly newSeed: () => string
  /** The same for the same seed, which alone gives nothing away. */
  readonly secretFrom: (seed: string) => string
  /** The op once it was answered; as it is if nobody does so in time. */
  readonly answered: (op: QueuedOp) => Promise<QueuedOp>
  readonly visibility: Visibility
  /** What becomes of a session in a folder where another one works; `tell` when absent. */
  readonly sharedFolders?: "tell" | "refuse" | undefined
  readonly workspaces?: readonly string[]
  readonly machine?: Machine
  readonly budgets: FleetBudgets
  readonly quotas: SessionQuotas
  /** Whether those who are not admins may act in sessions that are not confined. */
  readonly operatorsMayLeave: boolean
  /** Absent where devices are told nothing. */
  readonly push?: PushSide | undefined
  /** What else tells somebody of what waits for them, as said in the settings. */
  readonly channelsOf: (who: string) => readonly string[]
  /** The team that a session is in. */
  readonly teamOf: (sessionId: string) => Promise<TeamOverview | undefined>
}

/** What a page needs to have a device told, and how one is told. */
export interface PushSide {
  /** Pages subscribe with it. */
  readonly serverKey: string
  /** Why nothing is sent there: a sentence. */
  readonly problemOf: (subscription: GivenSubscription) => Promise<string | undefined>
  /** Sends one that says only that it works. Returns what went wrong: a sentence. */
  readonly test: (device: Device) => Promise<string | undefined>
}

export interface GivenSubscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/**
 * What those who are not admins have of the sessions of others: nothing (`own`), they see them (`read`), or operators act in them too (`all`). More
 * rights never show less.
 */
export type Visibility = "own" | "read" | "all"

export const usualVisibility: Visibility = "read"

export interface RouteCall {
  readonly records: FleetRecords
  readonly context: ServerContext
  readonly who: TokenOwner
  /** What stands for `:name` in the path. */
  readonly at: { readonly [name: string]: string }
  readonly query: JsonObject
  readonly body: JsonObject
  /** Whoever sends it again with the same key means the same. */
  readonly key: string | undefined
}

export type RouteAnswer = Result<{ readonly status: number; readonly body?: JsonObject }, Refusal>

export interface Route {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly about: string
  readonly needs: UserRole
  readonly query?: ZodType
  /** Of what is posted: anything else is refused with its name. */
  readonly body?: ZodType
  /** How large it may be, where it is more than usual. */
  readonly mostBytes?: number
  /** What a client gets when all is well; without a schema there is no body. */
  readonly answers: { readonly status: number; readonly body?: ZodType }
  /**
   * With a key, the answer is kept in the same transaction as what was done for it; `itself`: the route sees to it, as it waits for others.
   */
  readonly repeats?: "itself"
  readonly run: (asked: RouteCall) => Promise<RouteAnswer>
  /** Makes the answer of the one that was kept, if there is something in it that must not be kept. */
  readonly complete?: (asked: RouteCall, kept: JsonObject) => Promise<RouteAnswer>
}

/** Everything that is answered is plain data, so it is JSON. */
export const done = <Body extends object>(body: Body, status = 200): RouteAnswer =>
  ok({ status, body: body as JsonObject })

export const noSession: RouteAnswer = failed(refusal("not_found", "There is no such session."))

export const seesAll = ({ role }: TokenOwner, visibility: Visibility): boolean =>
  visibility !== "own" || role === "admin"

export const maySee = (who: TokenOwner, { createdBy }: FleetSession, visibility: Visibility): boolean =>
  seesAll(who, visibility) || createdBy === who.name

/** Whose sessions are shown; undefined for everybody's. */
export const whoseSessions = ({ context, who }: Pick<RouteCall, "context" | "who">): string | undefined =>
  seesAll(who, context.visibility) ? undefined : who.name

/** Whose sessions wait for this user: those they may decide about. Whoever decides nothing looks at all they see. */
export const whoseInbox = ({ context, who }: Pick<RouteCall, "context" | "who">): string | undefined =>
  who.role === "operator" && context.visibility !== "all" ? who.name : whoseSessions({ context, who })

/** A session that somebody may not see is as good as none. */
export const onSession =
  (run: (asked: RouteCall, session: FleetSession) => Promise<RouteAnswer>): Route["run"] =>
  async (asked) => {
    const session = await sessionFor(asked, asked.at["id"] ?? "")
    return session ? run(asked, session) : noSession
  }

/** A session as somebody may see it: their own, as the settings say, or because it was shared with them. */
export async function sessionFor(
  {
    records,
    who,
    context: { visibility },
  }: Pick<RouteCall, "records" | "who"> & { readonly context: Pick<ServerContext, "visibility"> },
  id: string,
): Promise<FleetSession | undefined> {
  const session = await records.sessions.get(id)
  if (!session || who.role === "admin" || session.createdBy === who.name) return session
  const granted = await records.sharing.roleOf(id, who.name)
  if (granted === undefined) return maySee(who, session, visibility) ? session : undefined
  return { ...session, granted }
}

/** For what ends or interrupts a session. */
export const onOwned = (run: (asked: RouteCall, session: FleetSession) => Promise<RouteAnswer>): Route["run"] =>
  onSession(async (asked, session) => (isOwned(asked, session) ? run(asked, session) : failed(notYours(session))))

/** For what decides what a session does: where it is not confined, whoever does that acts as the owner of the machine. */
export const onSteered = (run: (asked: RouteCall, session: FleetSession) => Promise<RouteAnswer>): Route["run"] =>
  onOwned(async (asked, session) =>
    isFree(asked, session) ? run(asked, session) : failed(refusal("forbidden", unconfinedWords)),
  )

interface Seeing extends Pick<RouteCall, "who"> {
  readonly context: Pick<ServerContext, "visibility" | "operatorsMayLeave">
}

/** Whether this user may decide what a session does. */
export const maySteer = (asked: Seeing, session: FleetSession): boolean =>
  asked.who.role !== "viewer" && isOwned(asked, session) && isFree(asked, session)

const isOwned = ({ context, who }: Seeing, { createdBy, granted }: FleetSession): boolean =>
  who.role === "admin" || context.visibility === "all" || createdBy === who.name || granted === "operator"

const isFree = ({ context, who }: Seeing, { opening }: FleetSession): boolean =>
  who.role === "admin" || context.operatorsMayLeave || opening.confined === true

const notYours = ({ createdBy }: FleetSession): Refusal =>
  refusal("forbidden", `This session belongs to ${createdBy}. Only they or an admin can change it.`)

const unconfinedWords =
  "This session is not confined to the sandbox, so only an admin may decide what it does. Start one of your own instead."

/** Whether anything may be spent by this user in this repository: nothing is begun or continued otherwise. */
export async function maySpend(
  { records, context }: Pick<RouteCall, "records"> & { readonly context: Pick<ServerContext, "budgets"> },
  user: string,
  workspace: WorkspaceSource,
): Promise<RouteAnswer> {
  const problem = await budgetProblem(records, context.budgets, { user, repository: repositoryOf(workspace) })
  return problem === undefined ? ok({ status: 200 }) : failed(refusal("budget", problem))
}
