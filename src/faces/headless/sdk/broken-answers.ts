/** Answers that broke off after parts of them were told, and are given again: the client takes those parts out. */

import type { Entry } from "#agent/words/entry.ts"

export interface BrokenAnswers {
  /** Entries of the main agent. */
  readonly onEntry: (entry: Entry) => void
  /** The messages of an answer that is given again now; named once. */
  readonly superseded: () => readonly string[]
}

export function openBrokenAnswers(): BrokenAnswers {
  let answer: { readonly messageId: string; readonly uuids: readonly string[] } | undefined
  let superseded: readonly string[] = []
  return {
    onEntry(entry) {
      if (entry.kind === "reply") {
        const { messageId, uuid } = entry
        answer = { messageId, uuids: answer?.messageId === messageId ? [...answer.uuids, uuid] : [uuid] }
      }
      if (entry.kind === "reply_end" && entry.cut === "orphaned" && answer?.messageId === entry.messageId)
        superseded = [...superseded, ...answer.uuids]
      if (entry.kind === "turn_end") superseded = []
    },
    superseded() {
      const before = superseded
      superseded = []
      return before
    },
  }
}
