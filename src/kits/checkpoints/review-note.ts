/** Tells the model, once, which of its changes the user undid or restored. */

import type { Entry, ReviewedHunk } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { byKind } from "#agent/words/follower.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

const noteName = "review"
const mostCharacters = 6000

export function openReviewNote(): Pick<Kit, "conversation" | "attachments"> {
  let waiting: readonly (Entry & { kind: "review" })[] = []
  return {
    conversation: {
      reset: () => void (waiting = []),
      onEntry: byKind({
        review: (entry) => void (entry.act === "keep" ? undefined : (waiting = [...waiting, entry])),
        attachment: ({ name }) => void (name === noteName ? (waiting = []) : undefined),
      }),
    },
    attachments(): readonly Attachment[] {
      return waiting.length === 0 ? [] : [{ name: noteName, text: noteText(waiting) }]
    },
  }
}

function noteText(entries: readonly (Entry & { kind: "review" })[]): string {
  let room = mostCharacters
  const parts = entries.flatMap(({ act, hunks }) =>
    hunks.map((hunk) => {
      const { patch } = hunk
      const isShown = patch !== "" && patch.length <= room
      if (isShown) room -= patch.length
      return `- ${act === "undo" ? "Undid" : "Restored"} ${placeOf(hunk)}${isShown ? `\n${patch}` : ""}`
    }),
  )
  return escapeImitations(
    `The user reviewed your changes and did this, in this order; below each are the lines that the change had removed and added:\n${parts.join("\n")}\nThe files are already like that. Do not make an undone change again unless the user asks for it, and read a file before you edit it.`,
  )
}

function placeOf({ path, lines, change }: ReviewedHunk): string {
  if (lines) return `the change at line ${lines.from} of ${path}:`
  const whole = {
    created: "the creation of",
    removed: "the deletion of",
    modified: "all changes of",
    mode: "the new permissions of",
  }
  return `${whole[change]} ${path}`
}
