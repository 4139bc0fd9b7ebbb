/** Which of the client's messages a turn answers: named on the first message of each kind, and in the result. */

import { answering } from "#faces/headless/result.ts"
import type { JsonObject } from "#lib/json.ts"

/** What the client gave with a message: ids, also of what was only added to it, and who wrote it. */
export interface Answerable {
  readonly given?: readonly string[]
  readonly origin?: JsonObject
}

export interface Answered {
  /** The turn that follows answers this. */
  readonly expect: (asked: Answerable) => void
  /** The turn answers this too. */
  readonly join: (asked: Answerable) => void
  /** The message, with the ids where they belong. */
  readonly mark: (message: object) => object
  readonly ids: () => readonly string[]
  /** Who wrote what the turn answers, as the client said; undefined if it did not. */
  readonly origin: () => JsonObject | undefined
  readonly turnEnds: () => void
}

interface Told {
  readonly type?: string
  readonly parent_tool_use_id?: string | null
}

export function openAnswered(): Answered {
  let ids: readonly string[] = []
  let origin: JsonObject | undefined
  const marked = new Set<string>()

  const expect = (asked: Answerable): void => {
    ids = asked.given ?? []
    origin = asked.origin
    marked.clear()
  }

  return {
    expect,
    join(asked) {
      ids = [...ids, ...(asked.given ?? [])]
      origin ??= asked.origin
    },
    ids: () => ids,
    origin: () => origin,
    turnEnds: () => expect({}),
    mark(message) {
      const { type = "", parent_tool_use_id }: Told = message
      if (ids.length === 0 || parent_tool_use_id) return message
      if (type === "conversation_reset") return { ...message, user_message_uuid: ids.at(-1) }
      if ((type !== "assistant" && type !== "stream_event") || marked.has(type)) return message
      marked.add(type)
      return { ...message, ...answering(ids) }
    },
  }
}
