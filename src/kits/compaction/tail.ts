/** The end of the conversation, as large as there is room for: its last call and result stay verbatim. */

import type { Message, ToolResultBlock } from "#agent/words/message.ts"
import { tokensOfBlock, tokensOfMessages } from "#agent/words/weight.ts"

/** The tail itself; or with all results but the last replaced by lines; or nothing, if even that is too large. */
export function smallerTail(tail: readonly Message[], room: number): readonly Message[] {
  if (tokensOfMessages(tail) <= room) return tail
  const last = tail.flatMap(({ content }) => content.filter((block) => block.type === "tool_result")).at(-1)
  const smaller = tail.map((message): Message =>
    message.role === "assistant"
      ? message
      : {
          role: "user",
          content: message.content.map((block) =>
            block.type === "tool_result" && block !== last ? line(block) : block,
          ),
        },
  )
  return tokensOfMessages(smaller) <= room ? smaller : []
}

const line = (block: ToolResultBlock): ToolResultBlock => ({
  ...block,
  content: `[This result was left out to make room: about ${tokensOfBlock(block)} tokens. Make the call again if it is needed.]`,
})
