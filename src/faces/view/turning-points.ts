/** What is said where a conversation goes back, starts anew or is made smaller. */

import type { Entry, FilesRestored } from "#agent/words/entry.ts"
import { never } from "#lib/never.ts"

export function headWords({ why, files, to }: Entry & { kind: "head" }): string {
  const done = files ? ` ${filesWords(files)}` : ""
  switch (why) {
    case "rewind":
      return `Went back${to === null ? " to the beginning" : ""}.${done} /redo undoes this.`
    case "redo":
      return `The rewind is undone.${done}`
    case "clear":
      return "The conversation starts anew. /redo brings the old one back."
    case "switch":
      return "Went to another branch of the conversation."
    case "uncompact":
      return "The conversation is whole again, as before it was compacted."
    default:
      return never(why)
  }
}

function filesWords({ written, removed, kept }: FilesRestored): string {
  const parts = [
    ...(written.length > 0 ? [`${counted(written.length)} restored`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length)} removed`] : []),
    ...(kept.length > 0 ? [`left as someone else changed them: ${kept.join(", ")}`] : []),
  ]
  return parts.length === 0 ? "No file had to change." : `${parts.join(", ")}.`
}

const counted = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`

export const compactionWords = ({ preTokens, postTokens, by }: Entry & { kind: "compaction" }): string =>
  `The conversation was compacted from ${thousands(preTokens)} to ${thousands(postTokens)} tokens${by === "extract" ? ", without a model" : ""}. Nothing is lost: it is whole in the log.`

const thousands = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)
