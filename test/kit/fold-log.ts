/** A log folded from scratch, as a resume would: what the model would be sent. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { repair } from "#session/journal/repair.ts"

/** The messages after these entries. */
export function foldMessages(entries: readonly Entry[]): readonly Message[] {
  const conversation = openConversation({ shrink })
  for (const entry of entries) conversation.onEntry(entry)
  return conversation.messages()
}

/** The entries with what a resume would add to them. */
export function repaired(entries: readonly Entry[]): readonly Entry[] {
  const stamped = (body: EntryBody, index: number): Entry => ({
    ...body,
    uuid: `repair-${index}`,
    parentUuid: null,
    at: 0,
  })
  return [
    ...entries,
    ...repair(entries, {
      fingerprint: () => "unknown",
      canAskAgain: false,
      asked: () => undefined,
      agent: () => undefined,
      why: "the program ended",
    }).bodies.map(stamped),
  ]
}
