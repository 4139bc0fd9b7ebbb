/** What one provider may read of a conversation that others took part in. */

import type { AssistantBlock, AssistantMessage, Message } from "#agent/words/message.ts"

/** Returns the same message if there is nothing to leave out, and the same replacement each time if there is. */
export function openReadable(): (message: Message, provider: string) => Message {
  const known = new Map<string, WeakMap<Message, Message>>()
  return (message, provider) => {
    if (message.role === "user") return message
    const own = known.get(provider) ?? new WeakMap<Message, Message>()
    known.set(provider, own)
    const fitted = own.get(message) ?? readableBy(message, provider)
    own.set(message, fitted)
    return fitted
  }
}

function readableBy(message: AssistantMessage, provider: string): Message {
  if (!message.content.some((block) => isForeign(block, provider))) return message
  return { ...message, content: message.content.flatMap((block) => fit(block, provider)) }
}

const isForeign = (block: AssistantBlock, provider: string): boolean =>
  block.proof !== undefined && block.proof.by !== provider

/** Reasoning is useless without its proof, so both go; text is still text, and a call a call. */
function fit(block: AssistantBlock, provider: string): readonly AssistantBlock[] {
  if (!isForeign(block, provider)) return [block]
  if (block.type === "thinking" || block.type === "redacted_thinking") return []
  const { proof: _proof, ...rest } = block
  return [rest]
}
