/** What is said where a conversation is rewound, cleared or compacted, and where changes are reviewed. */

import type { Entry, FilesRestored, SnapshotGap } from "#agent/words/entry.ts"
import { counted } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import { firstLine } from "#lib/rows.ts"

export function headWords({ why, files, to, before, prompt, gaps = [] }: Entry & { kind: "head" }): string {
  const done = files ? ` ${filesWords(files, gaps)}` : ""
  const missing = gaps.length === 0 ? "" : ` ${gapWords(gaps)}`
  switch (why) {
    case "rewind": {
      const where = prompt ? `to "${firstLine(prompt)}"` : to === null ? "to the start" : "to an earlier prompt"
      const verb = gaps.length > 0 || (files && files.kept.length > 0) ? "Partly rewound" : "Rewound"
      if (before !== undefined) return `${verb} the files ${where}.${done}${missing} /redo to undo.`
      return `${verb} ${where}. What came after is no longer part of the conversation.${done}${missing} /redo to undo.`
    }
    case "redo":
      return `Undid the rewind.${done}`
    case "clear":
      return "Started a new conversation. /redo to return to the old one."
    case "switch":
      return "Switched to another branch."
    case "uncompact":
      return "Restored the full conversation."
    default:
      return never(why)
  }
}

const mostNamed = 8

const listed = (all: readonly string[]): string =>
  all.length > mostNamed ? `${all.slice(0, mostNamed).join(", ")} and ${all.length - mostNamed} more` : all.join(", ")

const gapWords = (gaps: readonly SnapshotGap[]): string =>
  `Not undone, because there is no snapshot of it: ${listed(gaps.map(({ call, why }) => `${firstLine(call)} (${why})`))}.`

function filesWords({ written, removed, kept, why = {} }: FilesRestored, gaps: readonly SnapshotGap[]): string {
  const parts = [
    ...(written.length > 0 ? [`${counted(written.length, "file")} restored`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "file")} removed`] : []),
  ]
  const explained = kept.filter((path) => why[path] !== undefined)
  const changed = kept.filter((path) => why[path] === undefined)
  const by = gaps.length > 0 ? "changed since by somebody else, or by a command without a snapshot" : "changed since"
  const sentences = [
    ...(parts.length > 0 ? [`${parts.join(", ")}.`] : []),
    ...(changed.length > 0 ? [`Not touched, because ${by}: ${listed(changed)}.`] : []),
    ...(explained.length > 0
      ? [`Left as they are: ${listed(explained.map((path) => `${path} (${why[path]})`))}.`]
      : []),
  ]
  if (sentences.length > 0) return sentences.join(" ")
  return gaps.length > 0 ? "No files were restored." : "No files changed."
}

export const compactionWords = ({ preTokens, postTokens, by }: Entry & { kind: "compaction" }): string =>
  `Compacted the conversation from ${thousands(preTokens)} to ${thousands(postTokens)} tokens${{ model: "", memory: ", from the session's memory", extract: ", without a model" }[by]}. /uncompact to restore it.`

const thousands = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)

/** Empty where nothing changed. */
export function reviewWords({ act, hunks }: Entry & { kind: "review" }): string {
  if (act === "keep") return ""
  const verb = act === "undo" ? "Undid" : "Restored"
  const files = Map.groupBy(hunks, ({ path }) => path)
  const done = Array.from(files, ([path, own]) => {
    const lines = own.flatMap((hunk) => hunk.lines?.from ?? [])
    return `${path}${lines.length === 0 ? "" : ` (line ${lines.join(", ")})`}`
  })
  return `${verb} ${counted(hunks.length, "change")} in ${listed(done)}. /diff to ${act === "undo" ? "restore" : "undo"}.`
}

export const feedbackWords = ({ rating, text }: Entry & { kind: "feedback" }): string =>
  `Rated ${rating}${text === undefined ? "" : `: ${text}`}`
