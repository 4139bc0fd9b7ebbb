/** The history of compactions, folded from the log, so that failures count across prompts and after a resume. */

import type { EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"

const mostFailures = 3

export interface History {
  readonly onEntry: OnEntry
  /** The current run of failures as entries, for readers that start at the next compaction. */
  readonly failed: () => readonly EntryBody[]
  /** Too many failures in a row: no more automatic attempts. */
  readonly isBroken: () => boolean
  /** Whether the model answered since the last attempt; without an answer another attempt would end the same way. */
  readonly mayTry: () => boolean
  /** Undefined before its first answer. */
  readonly answeredAt: () => number | undefined
}

export function openHistory(): History {
  let failures = 0
  let tried = false
  let answeredAt: number | undefined
  return {
    failed: () => Array.from({ length: failures }, () => failedBefore),
    isBroken: () => failures >= mostFailures,
    mayTry: () => !tried,
    answeredAt: () => answeredAt,
    onEntry: byKind({
      compaction({ failure }) {
        failures = failure === undefined ? 0 : failures + 1
        tried = true
      },
      notice({ about }) {
        if (about !== "compaction_failed") return
        failures++
        tried = true
      },
      reply_end({ at }) {
        tried = false
        answeredAt = at
      },
      head: () => void (tried = false),
    }),
  }
}

const failedBefore: EntryBody = {
  kind: "notice",
  level: "info",
  about: "compaction_failed",
  text: "The conversation could not be summarized before this.",
}
