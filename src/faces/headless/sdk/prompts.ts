/** Messages that wait for their turn: one at a time goes to the session, so that each gets a result of its own. */

import type { PromptBlock } from "#agent/words/message.ts"
import { optional as some } from "#lib/optional.ts"
import { type Channel, channel } from "#lib/channel.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Priority, UserMessage } from "./inbound.ts"

export interface WaitingMessage {
  readonly id: string
  readonly content: readonly PromptBlock[]
  readonly as?: "text"
  /** What of it was typed, if the rest was pasted. */
  readonly typed?: string
  /** The ids that the client gave, also to what is only added. */
  readonly given: readonly string[]
  readonly priority?: Priority
  readonly origin?: JsonObject
}

export interface Prompts extends AsyncIterable<WaitingMessage> {
  /** The message with what was to be added to it; undefined for one that waits for the next. */
  readonly composed: (message: UserMessage, id: string) => WaitingMessage | undefined
  readonly add: (message: WaitingMessage) => void
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
  let clientIds: readonly string[] = []

  return {
    composed({ content, as, typed, isSilent, uuid, priority, origin }, id) {
      if (uuid !== undefined) clientIds = [...clientIds, uuid]
      if (isSilent) {
        silent = [...silent, ...content]
        return undefined
      }
      const more = {
        ...some("as", as),
        ...some("typed", typed),
        ...some("priority", priority),
        ...some("origin", origin),
      }
      const message: WaitingMessage = { id, content: [...silent, ...content], given: clientIds, ...more }
      silent = []
      clientIds = []
      return message
    },
    add(message) {
      // Stable: among messages of the same priority the oldest is first.
      waiting = [...waiting, message].toSorted((a, b) => rank(a) - rank(b))
      wake.push("more")
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

const rank = ({ priority }: WaitingMessage): number => (priority === "now" ? 0 : priority === "later" ? 2 : 1)
