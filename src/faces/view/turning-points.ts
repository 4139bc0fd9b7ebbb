/** What is said where a conversation is rewound, cleared or compacted. */

import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import { counted } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import { firstLine } from "#lib/rows.ts"

export function headWords({ why, files, to, before, prompt }: Entry & { kind: "head" }): string {
  const done = files ? ` ${filesWords(files)}` : ""
  switch (why) {
    case "rewind": {
      const where = prompt ? `to "${firstLine(prompt)}"` : to === null ? "to the start" : "to an earlier prompt"
      if (before !== undefined) return `Rewound the files ${where}.${done} /redo to undo.`
      return `Rewound ${where}. What came after is no longer part of the conversation.${done} /redo to undo.`
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

function filesWords({ written, removed, kept }: FilesRestored): string {
  const parts = [
    ...(written.length > 0 ? [`${counted(written.length, "file")} restored`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "file")} removed`] : []),
  ]
  const sentences = [
    ...(parts.length > 0 ? [`${parts.join(", ")}.`] : []),
    ...(kept.length > 0 ? [`Not touched, because changed since: ${kept.join(", ")}.`] : []),
  ]
  return sentences.length === 0 ? "No files changed." : sentences.join(" ")
}

export const compactionWords = ({ preTokens, postTokens, by }: Entry & { kind: "compaction" }): string =>
  `Compacted the conversation from ${thousands(preTokens)} to ${thousands(postTokens)} tokens${by === "extract" ? ", without a model" : ""}. /uncompact to restore it.`

const thousands = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)
