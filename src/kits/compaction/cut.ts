/** Where to cut a conversation without separating a call from its result. */

import type { Message, ToolResultBlock, ToolUseBlock } from "#agent/words/message.ts"
import { tokensOfMessages } from "#agent/words/weight.ts"

/** The end of the conversation from its last calls on; empty if there was no call. */
export function lastPair(messages: readonly Message[]): readonly Message[] {
  const from = messages.findLastIndex(({ content }) => content.some(({ type }) => type === "tool_use"))
  return from < 0 ? [] : messages.slice(from)
}

/** Which part is summarized: all of it, what is before a message, or that message and everything after it. */
export type SummarizedPart = { readonly kind: "all" } | { readonly kind: "before" | "after"; readonly at: number }

/** Where to split a conversation at a message: before the calls whose results it begins with. */
export const cutBefore = (messages: readonly Message[], at: number): number =>
  messages[at]?.content.some(({ type }) => type === "tool_result") === true ? at - 1 : at

/** The newest messages with about this share of the tokens, starting at an answer; `undefined` if that is everything or nothing. */
export function newestShare(messages: readonly Message[], share: number): readonly Message[] | undefined {
  const most = tokensOfMessages(messages) * share
  let from = messages.length
  let tokens = 0
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index]
    if (!message) break
    tokens += tokensOfMessages([message])
    if (tokens > most) break
    if (message.role === "assistant") from = index
  }
  return from === messages.length ? undefined : messages.slice(from)
}

export interface Pair {
  readonly use: ToolUseBlock
  readonly result: ToolResultBlock
  readonly message: number
}

export function pairsIn(messages: readonly Message[]): readonly Pair[] {
  const uses = new Map<string, ToolUseBlock>()
  return messages.flatMap(({ content }, message) =>
    content.flatMap((block): Pair[] => {
      if (block.type === "tool_use") uses.set(block.id, block)
      if (block.type !== "tool_result") return []
      const use = uses.get(block.tool_use_id)
      return use ? [{ use, result: block, message }] : []
    }),
  )
}
