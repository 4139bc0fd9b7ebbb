/** What a session is told about the machine it continues on. */

import type { Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

const mostNamed = 6

export function continuedWords(host: string, stays: readonly string[]): string {
  const begun = `The session continues on ${host}, with its files, commits and staged changes.`
  if (stays.length === 0) return begun
  const named = stays.slice(0, mostNamed).join(", ")
  const more = stays.length > mostNamed ? ` and ${stays.length - mostNamed} more` : ""
  return `${begun} Left behind: ${named}${more}. Install or build again what is needed.`
}

export const lostBesideWords =
  "Ignored files and the states for rewinding were not kept: files can be rewound only to states from here on."

export const goneWords = (why: string, host: string): string =>
  `${why}. The session continues from what was kept (on ${host}); its results cannot be pushed until the repository is back.`

export const sharedWords = (others: number): string =>
  `${others === 1 ? "Another session works" : `${others} other sessions work`} in this folder at the same time. Files may change meanwhile: read a file again before you edit it, and leave changes alone that are not yours.`

/** The model is told with its next request, once. */
export function movedKit(notes: readonly string[]): Kit {
  let isTold = false
  return {
    name: "moved",
    attachments() {
      if (isTold) return []
      isTold = true
      return [{ name: "moved", text: escapeImitations(notes.join("\n")) }]
    },
  }
}
