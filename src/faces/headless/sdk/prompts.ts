/** Messages that wait for their turn: one at a time goes to the session, so that each gets a result of its own. */

import type { PromptBlock } from "#agent/words/message.ts"
import { given as some } from "#lib/given.ts"
import { type Channel, channel } from "#lib/channel.ts"
import type { UserMessage } from "./inbound.ts"

export interface WaitingMessage {
  readonly id: string
  readonly content: readonly PromptBlock[]
  readonly as?: "text"
  /** What of it was typed, if the rest was pasted. */
  readonly typed?: string
  /** The ids that the client gave, also to what is only added. */
  readonly given: readonly string[]
}

export interface Prompts extends AsyncIterable<WaitingMessage> {
  readonly put: (message: UserMessage, id: string) => void
  /** Those that have not been taken, oldest first. */
  readonly ids: () => readonly string[]
  /** Takes all of them back. */
  readonly drop: () => readonly string[]
  /** Takes one of them back; whether it was there. */
  readonly takeBack: (id: string) => boolean
  /** No more will come. */
  readonly close: () => void
}

export function openPrompts(): Prompts {
  const wake: Channel<"more"> = channel()
  let waiting: WaitingMessage[] = []
  /** What is only to be added to the next message. */
  let silent: readonly PromptBlock[] = []
  let given: readonly string[] = []

  return {
    put({ content, as, typed, isSilent, uuid }, id) {
      if (uuid !== undefined) given = [...given, uuid]
      if (isSilent) silent = [...silent, ...content]
      else {
        waiting.push({ id, content: [...silent, ...content], ...(as && { as }), ...some("typed", typed), given })
        silent = []
        given = []
        wake.push("more")
      }
    },
    ids: () => waiting.map(({ id }) => id),
    drop() {
      const dropped = waiting.map(({ id }) => id)
      waiting = []
      return dropped
    },
    takeBack(id) {
      const before = waiting.length
      waiting = waiting.filter((message) => message.id !== id)
      return waiting.length < before
    },
    close: wake.close,
    async *[Symbol.asyncIterator]() {
      for await (const _ of wake) {
        const next = waiting.shift()
        if (next) yield next
      }
    },
  }
}
