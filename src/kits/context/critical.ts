/** A reminder that an agent gets with every prompt, however long the conversation is. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"

const name = "critical_reminder"

export function criticalKit(text: string): Kit {
  let isDue = false
  return {
    name,
    onEntry(entry: Entry) {
      if (entry.kind === "prompt") isDue = true
      if (entry.kind === "attachment" && entry.name === name) isDue = false
    },
    attachments: (): readonly Attachment[] => (isDue ? [{ name, text }] : []),
  }
}
