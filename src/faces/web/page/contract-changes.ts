/** What the server answers about the changes of a session and about comments on them. */

import type { ChangedFile, ChangedHunk, ChangesSummary, LinePlace, PublishedWork } from "#fleet/changes.ts"

export interface ChangesPage {
  /** When they were read; absent if nobody asked yet. */
  readonly at?: string
  /** Another one each time they are read; absent if nobody asked yet. */
  readonly revision?: string
  /** The session has done something since. */
  readonly isStale: boolean
  readonly total: ChangesSummary
  readonly files: readonly ChangedFile[]
  /** Newest first. */
  readonly published: readonly (Omit<PublishedWork, "at"> & { readonly at: string })[]
  /** The after of the next page. */
  readonly next?: number
}

export interface ChangedFilePage {
  readonly file: ChangedFile
  readonly hunks: readonly ChangedHunk[]
  /** The from of the next page. */
  readonly next?: number
}

export interface ReviewOutcome {
  readonly done: number
  readonly left: readonly { readonly path: string; readonly line?: number; readonly why: string }[]
}

export interface ShownComment {
  readonly id: string
  readonly by: string
  readonly at: string
  readonly text: string
  readonly place?: LinePlace
  readonly sentAt?: string
  /** Whether this user may remove it. */
  readonly mayRemove: boolean
}

export interface CommentList {
  readonly comments: readonly ShownComment[]
}
