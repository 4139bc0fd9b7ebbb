/** What the checkpoints kit offers besides its layer: rewind points, previews, and rewinding. */

import type { Entry, FilesRestored, ReviewAct, ReviewedHunk, SnapshotGap } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import type { RecordingPlace } from "#ground/sandbox/recording.ts"
import type { ExcludedFolder } from "#ground/workspace/excluded-folders.ts"
import type { Hunk } from "#lib/diff.ts"
import type { Result } from "#lib/result.ts"

export interface Checkpoints extends Kit {
  /** Folders that a setting excludes. */
  readonly exclusions: readonly ExcludedFolder[]
  /** Prepares for a first change that may come, without recording anything yet. */
  readonly warm: () => void
  /** Called before a prompt is answered. Returns at once; the first change of the turn waits for its work. */
  readonly beforePrompt: (promptId: string) => void
  /** The prompts of a path, with what an agent changed since each. `log` is the whole log, in order. */
  readonly points: (log: readonly Entry[], path: readonly Entry[]) => Promise<Result<readonly RewindPoint[], string>>
  /**
   * Why undo would not cover what a command changes; undefined if it would. Then the call relies on it, and is not run if
   * the snapshot before it fails.
   */
  readonly relyOn: (callId: string, command: string, signal: AbortSignal) => Promise<string | undefined>
  /** How what a running command changes is to be kept; undefined if it is kept already. */
  readonly recording: (callId: string) => CallRecording | undefined
  /** The calls since a prompt that undo does not cover. */
  readonly gaps: (log: readonly Entry[], promptId: string) => readonly SnapshotGap[]
  readonly preview: (ask: RewindAsk) => Promise<Result<RewindPreview, string>>
  /** Rewinds, and returns what the `head` entry needs; undefined if no file was changed since. First records the current state as a snapshot. */
  readonly rewindFiles: (ask: RewindAsk) => Promise<Result<FilesRestored | undefined, string>>
  readonly redoFiles: (ask: RedoAsk) => Promise<Result<FilesRestored, string>>
  readonly summary: (log: readonly Entry[], turnId?: string) => Promise<Result<TurnSummary, string>>
  readonly diff: (log: readonly Entry[]) => Promise<Result<readonly TurnDiff[], string>>
  /** Net changes of the session, or since before a prompt, without what was rewound. */
  readonly changes: (log: readonly Entry[], since?: string) => Promise<Result<readonly ChangedFile[], string>>
  /** The same part by part, with what the user kept or undid. */
  readonly review: (
    log: readonly Entry[],
    scope: ReviewScope,
    patches?: ReviewPatches,
  ) => Promise<Result<Review, string>>
  /** Keeps, undoes or restores parts; the failure says why nothing was done. */
  readonly carryOutReview: (goal: ReviewGoal) => Promise<Result<Reviewed, string>>
  /** The lines that agents added to each file, by its whole path. */
  readonly written: (log: readonly Entry[]) => Promise<Result<ReadonlyMap<string, readonly string[]>, string>>
  readonly patchOf: (log: readonly Entry[]) => Promise<Result<string, string>>
  /** What differs in a snapshot from the one before it. */
  readonly changedIn: (snapshotId: string) => Promise<readonly string[]>
  readonly numbers: () => Promise<Result<StoreNumbers, string>>
}

/** What a command changes is recorded in a journal while it runs, or a snapshot is taken before it. */
export interface CallRecording {
  /** A new journal. */
  readonly journal: () => RecordingPlace
  /** Takes a snapshot instead; the reason if the call must not run. */
  readonly instead: () => Promise<string | undefined>
}

export interface RewindAsk {
  readonly log: readonly Entry[]
  readonly promptId: string
  /** Also overwrites what someone else has changed since. */
  readonly force?: boolean
  readonly signal: AbortSignal
}

export interface RedoAsk {
  readonly log: readonly Entry[]
  readonly files: FilesRestored
  readonly force?: boolean
  readonly signal: AbortSignal
}

export interface RewindPoint {
  readonly promptId: string
  readonly uuid: string
  readonly at: number
  readonly text: string
  /** Absent if nothing was changed since, so that nothing had to be kept. */
  readonly snapshotId?: string
  /** Changed before the next prompt. */
  readonly own: readonly string[]
  /** Changed since then. */
  readonly files: readonly string[]
  /** Calls since then whose changes may not be undone, and why. */
  readonly uncovered: readonly string[]
}

export interface PreviewFile {
  readonly path: string
  readonly change: "created" | "modified" | "removed" | "mode"
  readonly added: number
  readonly removed: number
  readonly binary: boolean
}

export interface RewindPreview {
  readonly files: readonly PreviewFile[]
  /** Changed by someone else since: kept, unless forced. */
  readonly conflicts: readonly string[]
  /** What would be left as it is, and why: files, and calls whose changes are not known. */
  readonly uncovered: readonly string[]
}

export interface TurnSummary {
  readonly created: readonly string[]
  readonly modified: readonly string[]
  readonly removed: readonly string[]
  /** `3 files created, 2 modified`; empty when nothing changed. */
  readonly text: string
}

export interface TurnDiff {
  readonly turnId: string
  readonly prompt: string
  readonly files: readonly PreviewFile[]
  readonly patch: string
}

export interface ChangedFile extends PreviewFile {
  readonly patch: string
}

export interface Review {
  /** Of the turn it is about. */
  readonly prompt?: string
  readonly files: readonly ReviewFile[]
}

/** `whole`: only those of files that are one part, because the parts of the others have their lines. */
export type ReviewPatches = "all" | "whole"

export interface ReviewFile extends ChangedFile {
  readonly hunks: readonly ReviewHunk[]
}

export interface ReviewHunk {
  readonly id: string
  readonly state: "new" | "kept" | "undone"
  /** Null where the file is created, removed or has no lines. */
  readonly hunk: Hunk | null
}

export interface ReviewGoal {
  readonly log: readonly Entry[]
  readonly scope: ReviewScope
  readonly act: ReviewAct
  /** Ids of parts. */
  readonly hunks: readonly string[]
  readonly signal: AbortSignal
}

/** What the `review` entry says besides the act. */
export interface Reviewed {
  readonly hunks: readonly ReviewedHunk[]
  readonly files?: FilesRestored
  readonly left?: readonly { readonly hunk: ReviewedHunk; readonly why: string }[]
}

export interface StoreNumbers {
  readonly folder: string
  readonly snapshots: number
  readonly bytes: number
}
