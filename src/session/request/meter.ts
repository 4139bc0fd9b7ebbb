/** How large the next request will be: the last answer's reported size, plus the estimated weight of what came since. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConversationFollower, Follower } from "#agent/words/follower.ts"
import type { Message } from "#agent/words/message.ts"
import { allTokens } from "#agent/words/model.ts"
import { entryWeight, messagesWeight, minus, plus, type Weight, weightless } from "#agent/words/weight.ts"

export interface Meter extends Follower {
  readonly conversation: ConversationFollower
  readonly onRead: () => void
  /** The next request, including system prompt and tools; for the body size, only the messages. */
  readonly next: () => Weight
}

/** The whole conversation is weighed only when its size is unknown: before the first answer, and after it was changed. */
export function openMeter(parts: {
  readonly messages: () => readonly Message[]
  /** What the next request begins with. */
  readonly fixed: () => Weight
  /** Whether entries happen, rather than being read from the log. */
  readonly isAwake: () => boolean
}): Meter {
  /** The provider's count, or our estimate in its place. */
  let known: Pick<Weight, "tokens" | "most"> | undefined
  /** What the known request began with: another model may be given other tools. While the log is read, nobody asks. */
  let began: Pick<Weight, "tokens" | "most"> = weightless
  let since = weightless
  /** The part that came before the message being streamed. */
  let before = weightless
  let speaking = ""
  let body: Weight | undefined

  const begin = (messageId: string): void => {
    if (messageId === speaking) return
    speaking = messageId
    before = since
  }
  const forget = (): void => {
    known = undefined
    since = weightless
    before = weightless
    speaking = ""
    body = undefined
  }

  function onEntry(entry: Entry): void {
    const weight = entryWeight(entry)
    body &&= plus(body, weight)
    switch (entry.kind) {
      case "reply":
        return begin(entry.messageId)
      case "reply_end": {
        const counted = allTokens(entry.usage)
        if (counted === 0) return
        begin(entry.messageId)
        known = { tokens: counted, most: counted }
        if (parts.isAwake()) began = parts.fixed()
        // Calls run while their message is still streaming, so their results came since, too.
        since = minus(since, before)
        before = weightless
        return
      }
      case "model":
        if (parts.isAwake()) return
        // What the last request of the model before it began with is not known any more.
        known = undefined
        return
      case "shrink":
      case "stub":
      case "compaction":
        known = undefined
        body = undefined
        return
      default:
        since = plus(since, weight)
    }
  }

  return {
    conversation: { reset: forget, onEntry },
    onRead: () => void (began = known ? parts.fixed() : weightless),
    next() {
      body ??= messagesWeight(parts.messages())
      const begins = parts.fixed()
      if (known === undefined) {
        began = begins
        known = plus(begins, body)
        since = weightless
        before = weightless
      }
      const { chars, media } = body
      return {
        tokens: Math.max(0, known.tokens + since.tokens + begins.tokens - began.tokens),
        most: Math.max(0, known.most + since.most + begins.most - began.most),
        chars,
        media,
      }
    },
  }
}
