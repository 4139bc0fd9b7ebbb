/** Finds the program's own words in messages. */

import type { Added } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { AnyBlock, Message } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"

export type SourceOf = (block: AnyBlock) => Omit<Attachment, "text"> | undefined

export function addedIn(messages: readonly Message[], sourceOf: SourceOf): readonly Added[] {
  return messages.flatMap(({ content }, message) =>
    content.flatMap((each, block) => {
      const source = sourceOf(each)
      return source ? [{ message, block, name: source.name, ...optional("data", source.data) }] : []
    }),
  )
}
