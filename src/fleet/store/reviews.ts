/** What agents changed in sessions, and what people say about it. */

import type {
  ChangedFile,
  ChangesSummary,
  FileReview,
  KnownChanges,
  NewComment,
  PublishedWork,
  SessionComment,
} from "#fleet/changes.ts"
import type { FleetOp } from "#fleet/ops.ts"
import type { Lease } from "#fleet/records.ts"
import type { Result } from "#lib/result.ts"
import type { Fenced, NoSuchSession } from "./failures.ts"

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
  /** By path; `after` is how many come before. With `since`, only those of them that have changed after that revision. */
  readonly files: (
    sessionId: string,
    after: number,
    limit: number,
    since?: string | undefined,
  ) => Promise<readonly ChangedFile[]>
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
