/** What the checkpoints kit offers beside its layer: the points one can go back to, what going back would do, and doing it. */

import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Result } from "#lib/result.ts"

export interface Checkpoints extends Kit {
  /** The first change may be on its way: begins what it would wait for, and records nothing yet. */
  readonly warm: () => void
  /** A prompt is about to be answered. Returns at once; the first change of the turn waits for what it began. */
  readonly beforePrompt: (promptId: string) => void
  /** The prompts of a path, with what an agent changed since each. `log` is everything in the order of the log. */
  readonly points: (log: readonly Entry[], path: readonly Entry[]) => Promise<Result<readonly RewindPoint[], string>>
  /** What rewinding the files to before a prompt would do. */
  readonly preview: (ask: RewindAsk) => Promise<Result<RewindPreview, string>>
  /**
   * Does it, and gives what the `head` entry needs; nothing when no file was changed since. The state before is recorded
   * as a snapshot first.
   */
  readonly rewindFiles: (ask: RewindAsk) => Promise<Result<FilesRestored | undefined, string>>
  /** Brings back what a rewind took away: `files` is that of its `head` entry. */
  readonly redoFiles: (ask: RedoAsk) => Promise<Result<FilesRestored, string>>
  /** What the agents changed in a turn; by default in the last one that began. */
  readonly summary: (log: readonly Entry[], turnId?: string) => Promise<Result<TurnSummary, string>>
  /** What the session changed, turn by turn. */
  readonly diff: (log: readonly Entry[]) => Promise<Result<readonly TurnDiff[], string>>
  /** What the session changed, all together, or since before a prompt; what was rewound is left out. */
  readonly changes: (log: readonly Entry[], since?: string) => Promise<Result<readonly ChangedFile[], string>>
  /** What the session changed, all together, as one patch that `git apply` takes. */
  readonly patchOf: (log: readonly Entry[]) => Promise<Result<string, string>>
  /** What the store holds, for the user. */
  readonly numbers: () => Promise<Result<StoreNumbers, string>>
}

export interface RewindAsk {
  readonly log: readonly Entry[]
  readonly promptId: string
  /** What someone else has changed since is overwritten too. */
  readonly force?: boolean
  readonly signal: AbortSignal
}

export interface RedoAsk {
  readonly log: readonly Entry[]
  readonly files: FilesRestored
  readonly force?: boolean
  readonly signal: AbortSignal
}

/** A prompt that one can go back to. */
export interface RewindPoint {
  readonly promptId: string
  readonly uuid: string
  readonly at: number
  readonly text: string
  /** Absent when nothing was changed since, so that nothing had to be kept. */
  readonly snapshotId?: string
  /** The files an agent changed since, in the short form. */
  readonly files: readonly string[]
}

/** A file that going back would change, and by how many lines. */
export interface PreviewFile {
  readonly path: string
  readonly change: "created" | "modified" | "removed" | "mode"
  readonly added: number
  readonly removed: number
  readonly binary: boolean
}

export interface RewindPreview {
  readonly files: readonly PreviewFile[]
  /** What someone else changed since: kept, unless it is forced. */
  readonly conflicts: readonly string[]
  /** What cannot be brought back, and why. */
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

/** A file as the session changed it, with its own patch. */
export interface ChangedFile extends PreviewFile {
  readonly patch: string
}

export interface StoreNumbers {
  readonly folder: string
  readonly snapshots: number
  readonly bytes: number
}
