/** Which of the client's messages a turn answers: named on the first message of each kind, and in the result. */

import { answering } from "#faces/headless/result.ts"

export interface Answered {
  /** The turn that follows answers these. */
  readonly expect: (ids: readonly string[]) => void
  /** The message, with the ids where they belong. */
  readonly mark: (message: object) => object
  readonly ids: () => readonly string[]
  readonly turnEnds: () => void
}

interface Told {
  readonly type?: string
  readonly parent_tool_use_id?: string | null
}

export function openAnswered(): Answered {
  let ids: readonly string[] = []
  const marked = new Set<string>()

  const expect = (next: readonly string[]): void => {
    ids = next
    marked.clear()
  }

  return {
    expect,
    ids: () => ids,
    turnEnds: () => expect([]),
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
