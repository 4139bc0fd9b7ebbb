/** What a fleet keeps: behind this port is one database, whichever engine it is. */

import type { AgentSpending, OthersSpending, ProcessSpending } from "#agent/words/budget.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { TeamAbout, TeamOverview, TeamStore } from "#agent/words/team.ts"
import type { Result } from "#lib/result.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Lane } from "#ground/workspace/source/checkout.ts"
import type {
  AuditDetails,
  AuditEntry,
  ErasedSession,
  FleetApproval,
  FleetEvent,
  FleetSession,
  FleetWorker,
  Lease,
  NewApproval,
  NewSession,
  NewWorker,
  OpAnswer,
  QueuedOp,
  SessionNews,
  SessionOpening,
  SessionQuotas,
  TokenOwner,
  UserRole,
  WorkspaceSource,
} from "./records.ts"
import type { FleetOp, MessageImage } from "./ops.ts"
import type { QuietHours } from "./quiet-hours.ts"
import type {
  ChangedFile,
  ChangesSummary,
  KnownChanges,
  NewComment,
  PublishedWork,
  FileReview,
  SessionComment,
} from "./changes.ts"

/** Somebody else holds the session by now, or it was cancelled: the caller stops at once. */
export interface Fenced {
  readonly kind: "fenced"
}

export interface NoSuchSession {
  readonly kind: "no_such_session"
}

export interface SharedFolder {
  readonly kind: "shared"
  readonly others: readonly FleetSession[]
}

export interface FleetSessions {
  /** `images` go with its first prompt. */
  readonly create: (session: NewSession, by: string, images?: readonly MessageImage[]) => Promise<FleetSession>
  /** Only if no other one that is not over works in its folder, above it or below it; two at once are told apart. */
  readonly createAlone: (...session: Parameters<FleetSessions["create"]>) => Promise<Result<FleetSession, SharedFolder>>
  readonly get: (id: string) => Promise<FleetSession | undefined>
  /** Newest first; `after` is the id of the last one seen. */
  readonly list: (wish: {
    readonly stages?: readonly SessionStage[]
    readonly limit: number
    readonly after?: string
    readonly createdBy?: string
  }) => Promise<readonly FleetSession[]>
  /** Others that are not over, of other teams, and work in the same folder as this one, in one above it or below it. */
  readonly sharingFolder: (id: string) => Promise<readonly FleetSession[]>
  /** Whoever holds it is fenced off. */
  readonly cancel: (id: string, by: string) => Promise<Result<void, NoSuchSession>>
  /** A message or a retry: some worker opens it. Waking one that runs lets it be opened again afterwards. */
  readonly wake: (id: string) => Promise<void>
}

export interface AcquireWish {
  /** It has no room after this one. */
  readonly fills?: boolean
  /** A session beyond these waits until there is room, and another one is taken. */
  readonly quotas?: SessionQuotas | undefined
}

export interface FleetLeases {
  /** A session that was woken, or whose worker has not been heard of, oldest first; none if nothing waits for such a worker. */
  readonly acquire: (worker: string, forMs: number, wish?: AcquireWish) => Promise<Lease | undefined>
  /** From now on it is told of what is due, until `fills` says that it has no room after this one. */
  readonly makeRoom: (worker: string) => Promise<void>
  /**
   * Says that the worker lives and keeps its sessions; returns those it still holds. Whoever comes first after a while also sees to what nobody tells
   * of: sessions of dead workers, approvals that expire, what is due and was not taken.
   */
  readonly beat: (worker: NewWorker, leases: readonly Lease[], forMs: number) => Promise<readonly Lease[]>
  /**
   * How often the session was woken so far. Only a later wake keeps it from being set aside, so whoever gets another number than before looks at
   * everything that was asked; asking again, because the answer was lost, gives the same number.
   */
  readonly attend: (lease: Lease) => Promise<Result<number, Fenced>>
  /** The folder of the session, the same on every machine: the given one if it has none yet. */
  readonly settle: (lease: Lease, folder: string) => Promise<Result<string, Fenced>>
  readonly report: (lease: Lease, news: SessionNews) => Promise<Result<void, Fenced>>
  /** Sets the session aside with what it waits for. If it was woken meanwhile, some worker takes it at once. */
  readonly park: (lease: Lease, news: SessionNews, approvals?: readonly NewApproval[]) => Promise<Result<void, Fenced>>
  /** Lets go of a session in the middle of its work: some worker takes it at once. */
  readonly handOver: (lease: Lease) => Promise<Result<void, Fenced>>
  readonly workers: () => Promise<readonly FleetWorker[]>
  readonly leave: (worker: string) => Promise<void>
}

/** What is asked of sessions from outside, besides decisions. */
export interface FleetOps {
  /** Queued together with the wake of the session. The same id again is the same op. */
  readonly add: (
    sessionId: string,
    id: string,
    op: FleetOp,
    by: string,
  ) => Promise<Result<QueuedOp, NoSuchSession | { readonly kind: "cancelled" }>>
  readonly get: (sessionId: string, id: string) => Promise<QueuedOp | undefined>
  /** Those that nobody has done yet, oldest first. */
  readonly waiting: (sessionId: string) => Promise<readonly QueuedOp[]>
  readonly finish: (lease: Lease, id: string, answer?: OpAnswer) => Promise<Result<void, Fenced>>
}

/** The files of a session that works in a repository. */
export interface FleetTrees {
  /** The commit it begins with: the given one, unless another was kept before. */
  readonly begin: (lease: Lease, base: string) => Promise<Result<string, Fenced>>
  readonly get: (sessionId: string) => Promise<FleetTree | undefined>
  /** Oldest first; each builds on the ones before. */
  readonly parts: (sessionId: string, lane: Lane) => Promise<readonly Uint8Array[]>
  /** Doing it again is harmless. Nothing is behind any more once the files are kept. */
  readonly keep: (lease: Lease, news: TreeNews) => Promise<Result<void, Fenced>>
  /** The newest files are only where they are now, and this is why. */
  readonly fallBehind: (lease: Lease, why: string) => Promise<Result<void, Fenced>>
  /** Of sessions that were cancelled so long ago that nobody needs their files any more. */
  readonly unneeded: (forMs: number, limit: number) => Promise<readonly UnneededTree[]>
  readonly forget: (sessionId: string) => Promise<void>
}

export interface FleetTree {
  readonly base: string
  /** Absent if nothing was kept yet. */
  readonly files?: KeptIn
  readonly beside?: KeptIn
  readonly behind?: string
}

export interface KeptIn {
  readonly state: string
  readonly place: TreePlace
  /** In the database. */
  readonly bytes: number
}

/** The database, or a ref of the source. */
export type TreePlace = "database" | "source"

export interface TreeNews {
  readonly lane: Lane
  /** None if this lane is not kept any more. */
  readonly state: string | undefined
  readonly place: TreePlace
  readonly part?: Uint8Array
  /** Whether earlier parts are needed no more. */
  readonly replaces: boolean
}

export interface UnneededTree {
  readonly sessionId: string
  readonly opening: SessionOpening
  readonly place: TreePlace
}

/** The teams that sessions lead. Whoever changes one without holding its session gets an exception. */
export interface FleetTeams {
  readonly has: (lead: string, team: string) => Promise<boolean>
  /** It is made if it does not exist. `lead`: the session that leads it, if that is another one. */
  readonly open: (lease: Lease, about: TeamAbout, lead?: string) => Promise<TeamStore>
  readonly remove: (lease: Lease, team: string) => Promise<void>
  /** What holds in the session of the lead, for members that are sessions of their own. */
  readonly handDown: (lease: Lease, team: string, handed: JsonObject) => Promise<void>
  readonly handed: (lead: string, team: string) => Promise<JsonObject | undefined>
  /** Whether a session that is over has something to do again, because of its team. */
  readonly owes: (sessionId: string) => Promise<boolean>
  /** The team that a session is in, for showing. */
  readonly of: (sessionId: string) => Promise<TeamOverview | undefined>
}

export type ShipFailure =
  | Fenced
  /** Lines are missing before these. */
  | { readonly kind: "gap"; readonly expected: number }
  /** A line with this number is there, and is another one. */
  | { readonly kind: "diverged"; readonly at: number }

export interface FleetLines {
  /** `from` is the number of the first line, counted from 1. Lines that have arrived already are not stored again. */
  readonly ship: (lease: Lease, from: number, lines: readonly string[]) => Promise<Result<void, ShipFailure>>
  /** What passes, as JSON; false if nobody looks at the session, and then it was not kept. */
  readonly pass: (lease: Lease, moments: readonly string[]) => Promise<Result<boolean, Fenced>>
  readonly isWatched: (sessionId: string) => Promise<boolean>
  readonly after: (sessionId: string, line: number, limit: number) => Promise<readonly string[]>
  readonly events: (sessionId: string, after: number, limit: number) => Promise<readonly FleetEvent[]>
}

export interface Decision {
  readonly sessionId: string
  readonly approvalId: string
  readonly digest: string
  readonly allows: boolean
  readonly answer: JsonObject
  readonly by: string
  /** How it came, where it was not on the page or by the API. */
  readonly through?: "link"
}

/** `isEffective`: this decision is the one that counts; otherwise an earlier one does. */
export interface DecisionOutcome {
  readonly approval: FleetApproval
  readonly isEffective: boolean
}

export type DecisionFailure =
  | { readonly kind: "no_such_approval" }
  /** What was shown is not what would be done now. */
  | { readonly kind: "void"; readonly approval: FleetApproval }
  | { readonly kind: "expired"; readonly approval: FleetApproval }

/** With where it was to be done. */
export interface PastDecision {
  readonly approval: FleetApproval
  readonly workspace: WorkspaceSource
}

export interface ApprovalPage {
  readonly approvals: readonly FleetApproval[]
  /** Absent if nothing follows. */
  readonly next?: string
  /** How many wait in all. */
  readonly total: number
}

export interface FleetApprovals {
  readonly decide: (decision: Decision) => Promise<Result<DecisionOutcome, DecisionFailure>>
  /** All that wait, perhaps only in sessions of one user, or those of sessions with what became of them; oldest first. */
  readonly open: (createdBy?: string) => Promise<readonly FleetApproval[]>
  /** Some of those that wait, oldest first; `after` is the `next` of the page before. */
  readonly openPage: (wish: {
    readonly createdBy?: string | undefined
    readonly limit: number
    readonly after?: string | undefined
  }) => Promise<ApprovalPage>
  readonly of: (sessionId: string) => Promise<readonly FleetApproval[]>
  /** What people decided about calls of tools, newest first: in one session, or in those of one user, or anywhere. */
  readonly decided: (wish: {
    readonly sessionId?: string | undefined
    readonly createdBy?: string | undefined
  }) => Promise<readonly PastDecision[]>
  /** Without details. */
  readonly ofAll: (sessionIds: readonly string[]) => Promise<readonly FleetApproval[]>
  /** Said before what was allowed runs, with the input it runs with; once for each. */
  readonly ran: (lease: Lease, approvalId: string, action: FleetApproval["action"]) => Promise<Result<void, Fenced>>
  /** Those whose time is over; their sessions are woken. */
  readonly expire: () => Promise<readonly FleetApproval[]>
}

export type KeyFailure = { readonly kind: "key_reused" }

export interface FleetTokens {
  readonly add: (
    owner: TokenOwner,
    secret: string,
    expiresAt: number | undefined,
    by: string,
  ) => Promise<Result<void, { readonly kind: "name_taken" }>>
  readonly revoke: (name: string, by: string) => Promise<boolean>
  /** Those that are valid now. */
  readonly list: () => Promise<readonly (TokenOwner & { readonly expiresAt?: number })[]>
  readonly owner: (digest: string) => Promise<TokenOwner | undefined>
  /** A browser shows `secret` from now on instead of the token with this digest, and is nobody once that token is not valid any more. */
  readonly signIn: (secret: string, token: string, forMs: number) => Promise<void>
  /** The digest of the token that was signed in with. */
  readonly signedIn: (secret: string) => Promise<string | undefined>
  readonly signOut: (secret: string) => Promise<void>
  /** What somebody was when they were last here, or is by a token; undefined if neither is known. */
  readonly roleOf: (name: string) => Promise<UserRole | undefined>
  /** Somebody without a token was here. */
  readonly remember: (owner: TokenOwner) => Promise<void>
}

/** What sessions cost, by the day (UTC) and by whoever created them. */
export interface SpentUsd {
  readonly day: number
  readonly month: number
}

export interface Spent {
  readonly day: string
  readonly users: ReadonlyMap<string, SpentUsd>
  readonly repositories: ReadonlyMap<string, SpentUsd>
}

export interface AtWork {
  readonly held: number
  readonly queued: number
}

export interface RunningSession {
  readonly id: string
  readonly createdBy: string
  readonly repository: string
}

export interface FleetSpending {
  /** Today and in this month, by the database's clock, of those that have spent anything. */
  readonly spent: () => Promise<Spent>
  /** How many sessions are at work or queued, of those who have any. */
  readonly atWork: () => Promise<{
    readonly users: ReadonlyMap<string, AtWork>
    readonly repositories: ReadonlyMap<string, AtWork>
  }>
  /** The sessions that somebody runs right now. */
  readonly running: () => Promise<readonly RunningSession[]>
  /**
   * For the budget of a session and its members, whoever of them asks: nobody else reserves meanwhile. `work` gets what the others have spent and
   * reserved, and returns what this one has now; it may be called again, and the last time counts.
   */
  readonly inTurn: (
    lease: Lease,
    lead: string,
    work: (others: OthersSpending) => ProcessSpending | undefined,
  ) => Promise<Result<void, Fenced>>
  /** What a session has spent of such a budget. */
  readonly of: (sessionId: string) => Promise<AgentSpending>
}

/** Something that waits, to be told to an address. */
export interface Delivery {
  readonly id: string
  readonly url: string
  readonly approval: FleetApproval
  readonly session: Pick<FleetSession, "id" | "title" | "stage" | "createdBy">
  /** This one included. */
  readonly attempts: number
}

/** What waits is told to addresses, also after a restart, until it arrived, was decided, or was tried too often. */
export interface FleetDeliveries {
  /** From now on, this address is told. What waits already is not told again. */
  readonly delivered: (url: string) => Promise<void>
  /** Those that begin to wait are told of by themselves; this is for what a worker of an earlier version has set aside. */
  readonly catchUp: (urls: readonly string[]) => Promise<void>
  /** Those that are due now, for one of the given addresses; each is due again after a while unless it is said to be done. */
  readonly due: (urls: readonly string[], limit: number) => Promise<readonly Delivery[]>
  readonly done: (id: string) => Promise<void>
  /** Nobody tried: it is due in so many milliseconds. */
  readonly hold: (id: string, forMs: number) => Promise<void>
  /** When the next one is due, in milliseconds from now; undefined if none is. */
  readonly dueInMs: (urls: readonly string[]) => Promise<number | undefined>
}

/** The address of letters that become messages to devices. */
export const pushUrl = "push:"

export interface NewDevice {
  readonly id: string
  readonly who: string
  /** Where its push service takes messages; whoever knows it can send nothing without the server's key. */
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  /** The public key of the server that it subscribed to. */
  readonly serverKey: string
  readonly label: string
}

export interface Device extends NewDevice {
  readonly addedAt: number
  readonly toldAt?: number
}

/** How somebody wants to be told. */
export interface NotifyWishes {
  /** Of everything they may decide, not only what is theirs or was shared with them. */
  readonly hearsAll: boolean
  readonly quiet?: QuietHours
}

/** A message to one device that is due. */
export interface DuePush {
  readonly id: string
  readonly device: Device
  readonly approval: FleetApproval
  readonly session: Pick<FleetSession, "id" | "title">
  readonly wishes: NotifyWishes
  /** This one included. */
  readonly attempts: number
}

/** Devices of people, and what is sent to them: once for each approval and device, however many servers there are. */
export interface FleetNotifying {
  readonly wishesOf: (who: string) => Promise<NotifyWishes>
  readonly saveWishes: (who: string, wishes: NotifyWishes) => Promise<void>
  readonly devices: (who: string) => Promise<readonly Device[]>
  /** The same device again is kept as it is, for whoever uses it now. */
  readonly addDevice: (
    device: NewDevice,
  ) => Promise<Result<Device, { readonly kind: "taken" } | { readonly kind: "too_many"; readonly most: number }>>
  readonly removeDevice: (who: string, id: string) => Promise<boolean>
  /** Its push service does not know it any more. */
  readonly forgetDevice: (id: string) => Promise<void>
  /** Makes messages of what began to wait; returns of how many approvals. */
  readonly fanOut: (limit: number) => Promise<number>
  /** For devices that subscribed with this key. Nobody else gets them for a minute. */
  readonly due: (serverKey: string, limit: number) => Promise<readonly DuePush[]>
  readonly sent: (push: Pick<DuePush, "id" | "device">) => Promise<void>
  readonly drop: (id: string) => Promise<void>
  /** It did not arrive: it is tried again later, or given up. */
  readonly retry: (id: string) => Promise<void>
  /** Nobody tried: it is due in so many milliseconds. */
  readonly hold: (id: string, forMs: number) => Promise<void>
  readonly dueInMs: (serverKey: string) => Promise<number | undefined>
}

/** A link that decides about one approval as one person, once. Only a digest of its secret is kept. */
export interface DecisionLink {
  readonly who: string
  /** Absent if that is said when it is used: of a plan, or a question. */
  readonly allows?: boolean
  readonly isUsed: boolean
  readonly isExpired: boolean
  /** What it was made for is not what would be decided now. */
  readonly isChanged: boolean
  readonly approval: FleetApproval
}

export type LinkFailure =
  { readonly kind: "no_such_link" } | { readonly kind: "used" } | { readonly kind: "late" } | DecisionFailure

export interface FleetDecisionLinks {
  /** For the approval of a delivery. */
  readonly make: (
    deliveryId: string,
    link: {
      readonly secret: string
      readonly who: string
      readonly allows?: boolean | undefined
      readonly forMs: number
    },
  ) => Promise<void>
  readonly find: (secret: string) => Promise<DecisionLink | undefined>
  /** `said` counts only for a link that leaves it open. */
  readonly use: (
    secret: string,
    said: Pick<Decision, "allows" | "answer">,
  ) => Promise<Result<DecisionOutcome, LinkFailure>>
}

/** What is erased is gone from every table; the audit says only that somebody did it. */
export interface FleetErasing {
  /** With the members of its team. Whoever runs it is fenced off. With `quietMs`, only if it is over and nothing has happened in it for so long. */
  readonly one: (id: string, by: string, quietMs?: number) => Promise<Result<void, NoSuchSession>>
  /** Sessions that have been over for so long. */
  readonly old: (forMs: number, limit: number) => Promise<readonly string[]>
  /** Removes the oldest lines of the audit that are older; returns how many. */
  readonly audit: (forMs: number, limit: number) => Promise<number>
  /** Removes what is remembered of letters that were sent about something that waits no more; returns how many. */
  readonly sent: (limit: number) => Promise<number>
  /** Sessions, tokens and the name of a user, in the audit too. Returns how many sessions there were. */
  readonly person: (name: string, by: string) => Promise<number>
  /** Those that were erased, in order, so that every machine removes what it has of them. */
  readonly after: (seq: number, limit: number) => Promise<readonly ErasedSession[]>
  /** Its repository has nothing of it any more. */
  readonly unpublished: (sessionId: string) => Promise<void>
}

/** What agents changed in sessions, as it was when somebody last asked for it. */
export interface FleetChanges {
  /** Replaces what was known before; `lines`: of its log, when it was read. */
  readonly keep: (
    lease: Lease,
    about: { readonly lines: number; readonly summary: ChangesSummary },
    files: Iterable<FileReview>,
  ) => Promise<Result<void, Fenced>>
  /** Undefined if nobody asked yet. */
  readonly known: (sessionId: string) => Promise<KnownChanges | undefined>
  /** By path; `after` is how many come before. */
  readonly files: (sessionId: string, after: number, limit: number) => Promise<readonly ChangedFile[]>
  readonly file: (sessionId: string, id: string) => Promise<FileReview | undefined>
  readonly published: (lease: Lease, work: PublishedWork) => Promise<Result<void, Fenced>>
  /** Newest first. */
  readonly publications: (sessionId: string) => Promise<readonly PublishedWork[]>
}

export interface FleetComments {
  /** Oldest first. */
  readonly list: (sessionId: string) => Promise<readonly SessionComment[]>
  readonly add: (
    sessionId: string,
    comment: NewComment,
  ) => Promise<Result<SessionComment, NoSuchSession | { readonly kind: "too_many"; readonly most: number }>>
  /** What was sent stays. */
  readonly remove: (sessionId: string, id: string) => Promise<boolean>
  /** Those that were not sent yet, as one op; returns how many. */
  readonly send: (
    sessionId: string,
    ids: readonly string[],
    how: {
      readonly opId: string
      readonly by: string
      readonly op: (comments: readonly SessionComment[]) => FleetOp
    },
  ) => Promise<Result<number, NoSuchSession | { readonly kind: "cancelled" } | { readonly kind: "nothing_to_send" }>>
}

/** A session that can be started again and again; what is left out is chosen then. */
export interface SessionTemplate {
  readonly name: string
  readonly prompt: string
  readonly place?: string
  readonly ref?: string
  readonly mode?: PermissionMode
  readonly model?: string
}

/** What people find and choose on the page. */
export interface FleetLists {
  /** The ids of sessions, newest first; `after` is the id of the last one seen. */
  readonly find: (wish: {
    readonly words?: string | undefined
    readonly createdBy?: string | undefined
    /** Only sessions of this user are looked at. */
    readonly visibleTo?: string | undefined
    readonly stages?: readonly SessionStage[] | undefined
    /** A folder or the address of a repository. */
    readonly place?: string | undefined
    readonly model?: string | undefined
    readonly limit: number
    readonly after?: string | undefined
  }) => Promise<readonly string[]>
  /** What somebody chose for their last sessions, newest first. */
  readonly chosen: (
    createdBy: string,
  ) => Promise<readonly Pick<NewSession & SessionOpening, "workspace" | "model" | "mode">[]>
  /** Everybody who may come in. */
  readonly people: () => Promise<readonly string[]>
  /** Sessions that were begun in so many last milliseconds. */
  readonly usage: (sinceMs: number, createdBy?: string) => Promise<readonly SessionUsage[]>
  readonly templates: () => Promise<readonly SessionTemplate[]>
  readonly saveTemplate: (template: SessionTemplate, by: string) => Promise<void>
  readonly removeTemplate: (name: string, by: string) => Promise<boolean>
}

export interface SessionUsage {
  readonly at: number
  readonly by: string
  readonly model: string
  readonly costUsd: number
  readonly workspace: SessionOpening["workspace"]
}

/** Sessions that others may look at or act in, because somebody shared them. */
export interface FleetSharing {
  /** What somebody is in a session that was shared with them. */
  readonly roleOf: (sessionId: string, who: string) => Promise<UserRole | undefined>
  readonly with: (sessionId: string) => Promise<readonly { readonly who: string; readonly role: UserRole }[]>
  readonly makeLink: (
    sessionId: string,
    link: { readonly secret: string; readonly role: UserRole; readonly forMs: number },
    by: string,
  ) => Promise<void>
  /** Returns the session that it is for. */
  readonly redeem: (secret: string, who: TokenOwner) => Promise<Result<string, { readonly kind: "no_such_link" }>>
  /** With everybody if nobody is named; links to it are over too. */
  readonly revoke: (sessionId: string, who: string | undefined, by: string) => Promise<number>
  readonly handOver: (
    sessionId: string,
    to: string,
    by: string,
  ) => Promise<Result<void, NoSuchSession | { readonly kind: "no_such_user" }>>
}

/** Of what is not over, for whoever operates it. */
export interface FleetFigures {
  readonly sessions: ReadonlyMap<string, number>
  readonly held: number
  readonly approvals: number
  readonly oldestApprovalMs: number
  readonly workers: number
  readonly slots: number
  readonly deliveries: number
}

export interface FleetRecords {
  readonly notifying: FleetNotifying
  readonly decisionLinks: FleetDecisionLinks
  readonly sharing: FleetSharing
  readonly lists: FleetLists
  readonly changes: FleetChanges
  readonly comments: FleetComments
  readonly figures: () => Promise<FleetFigures>
  readonly erasing: FleetErasing
  readonly spending: FleetSpending
  readonly deliveries: FleetDeliveries
  readonly sessions: FleetSessions
  readonly leases: FleetLeases
  readonly ops: FleetOps
  readonly lines: FleetLines
  readonly trees: FleetTrees
  readonly approvals: FleetApprovals
  readonly tokens: FleetTokens
  readonly audit: (after: number, limit: number) => Promise<readonly AuditEntry[]>
  /** What is not done to any other record: sign-ins, exports. */
  readonly note: (who: string, what: string, details?: AuditDetails) => Promise<void>
}

export type WorkerNotice =
  | { readonly kind: "due" }
  /** Something was asked of a session that it holds. */
  | { readonly kind: "session"; readonly sessionId: string }
  /** Somebody looks at a session that it holds. */
  | { readonly kind: "watched"; readonly sessionId: string }

export interface OnceRequest {
  readonly who: string
  readonly key: string
  /** Of what is asked for: the key of another request is refused. */
  readonly digest: string
}

/** What people look at: lists of sessions with what they cost, what waits, teams, and workers. */
export const changingKinds = ["approvals", "sessions", "teams", "workers"] as const

export interface FleetChange {
  readonly what: (typeof changingKinds)[number]
  /** Whoever created the session; undefined for what everybody sees. */
  readonly of: string | undefined
}

export interface FleetStore extends FleetRecords {
  readonly teams: FleetTeams
  /**
   * Does it once for each key, and gives the same answer to whoever comes with the key again. What the work does with the records it is
   * given is done together with the answer, or not at all.
   */
  readonly once: (
    request: OnceRequest,
    work: (records: FleetRecords) => Promise<JsonValue>,
  ) => Promise<Result<JsonValue, KeyFailure>>
  /**
   * Called when something happened in the session, or may have, and once when it is certain that nothing will be missed. The returned function ends
   * that. As long as somebody watches, whoever holds the session passes on what passes.
   */
  readonly watch: (sessionId: string, changed: () => void) => () => void
  /** For a worker: called with what is for it, or nothing if something may have been missed. */
  readonly watchWorker: (worker: string, told: (notice: WorkerNotice | undefined) => void) => () => void
  /** Called when sessions were erased, or may have been. */
  readonly watchErased: (erased: () => void) => () => void
  /** Called with what changed in lists, or nothing if anything may have; the returned function ends that. */
  readonly watchChanges: (changed: (change: FleetChange | undefined) => void) => () => void
  readonly close: () => Promise<void>
}
