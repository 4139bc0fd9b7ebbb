/** The invariants of a request, written down a second time and independently: what is wrong with these messages, if anything. */

import type { Message } from "#agent/words/message.ts"

export function complaints(messages: readonly Message[]): string[] {
  const found: string[] = []
  const seen = new Set<string>()
  if (messages.length > 0 && messages[0]?.role !== "user") found.push("does not begin with the user")
  messages.forEach((message, index) => {
    const previous = messages[index - 1]
    if (previous?.role === message.role) found.push(`${index}: role ${message.role} twice`)
    if (message.content.length === 0) found.push(`${index}: empty message`)
    const owed = previous?.role === "assistant" ? usesIn(previous) : []
    const given = message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
    if (message.role === "user" && JSON.stringify(owed) !== JSON.stringify(given))
      found.push(`${index}: owed ${owed.join()} but given ${given.join()}`)
    const firstOther = message.content.findIndex(({ type }) => type !== "tool_result")
    if (message.content.some(({ type }, i) => type === "tool_result" && firstOther >= 0 && i > firstOther))
      found.push(`${index}: a result after other content`)
    if (message.content.at(-1)?.type.endsWith("thinking")) found.push(`${index}: ends with thinking`)
    for (const block of message.content) {
      if (block.type === "text" && block.text.trim() === "") found.push(`${index}: empty text`)
      if (block.type === "thinking" && !block.proof) found.push(`${index}: thinking without a proof`)
      if (block.type === "tool_use") {
        if (seen.has(block.id)) found.push(`${index}: id ${block.id} twice`)
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(block.id)) found.push(`${index}: malformed id ${block.id}`)
        seen.add(block.id)
      }
    }
  })
  const last = messages.at(-1)
  if (last?.role === "assistant" && usesIn(last).length > 0) found.push("ends with an unanswered call")
  return found
}

const usesIn = (message: Message): string[] =>
  message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
