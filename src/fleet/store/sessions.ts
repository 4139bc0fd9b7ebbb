/** Sessions of a fleet, who runs them, and what is asked of them from outside. */

import type { SessionStage } from "#agent/words/stage.ts"
import type { FleetOp, MessageImage } from "#fleet/ops.ts"
import type {
  FleetSession,
  FleetWorker,
  Lease,
  NewApproval,
  NewSession,
  NewWorker,
  OpAnswer,
  QueuedOp,
  SessionNews,
  SessionQuotas,
} from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced, NoSuchSession } from "./failures.ts"

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

export type WorkerNotice =
  | { readonly kind: "due" }
  /** Something was asked of a session that it holds. */
  | { readonly kind: "session"; readonly sessionId: string }
  /** Somebody looks at a session that it holds. */
  | { readonly kind: "watched"; readonly sessionId: string }
