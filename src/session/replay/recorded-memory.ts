/** The session's memory as compactions of a log used it, for its replay. */

import type { Entry } from "#agent/words/entry.ts"
import type { MemoryChoice } from "#session/opening/options.ts"

/** For each compaction in turn: what the memory or a summary made ahead said, and up to which message. */
export function recordedMemory(entries: readonly Entry[]): NonNullable<MemoryChoice["recorded"]> {
  const compactions = entries.filter((entry) => entry.kind === "compaction").values()
  return (messages) => {
    const next = compactions.next().value
    if (next?.covers !== undefined) return { text: next.summary, at: next.covers, files: next.files ?? [] }
    // The first message has what was carried over, the others were left as they were.
    return next?.by === "memory" ? { text: next.summary, at: messages - next.messages.length + 1 } : undefined
  }
}
