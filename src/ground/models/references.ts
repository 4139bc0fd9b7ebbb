/** References to deferred tools in the form the provider accepts: it refuses one whose tool is not in the request. */

import type { Message, ResultContent, TextBlock, ToolResultBlock } from "#agent/words/message.ts"
import { definitionText, type ToolSpec } from "#agent/words/model.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

/** Whether the model gets a deferred tool through a reference, or reads its definition instead of the reference. */
export type Loading = "by_reference" | "in_words"

/** The identical message, unless it refers to a tool in a way that would be refused. */
export function resolved(message: Message, tools: readonly ToolSpec[], loading: Loading): Message {
  if (message.role === "assistant" || !message.content.some(refers)) return message
  const known = new Map(tools.flatMap((tool) => (tool.deferred ? [[tool.name, tool] as const] : [])))
  return {
    role: "user",
    content: message.content.map((block) =>
      refers(block) ? { ...block, content: inWords(block.content, known, loading) } : block,
    ),
  }
}

const refers = (block: Message["content"][number]): block is ToolResultBlock =>
  block.type === "tool_result" &&
  typeof block.content !== "string" &&
  block.content.some(({ type }) => type === "tool_reference")

function inWords(content: ResultContent, known: ReadonlyMap<string, ToolSpec>, loading: Loading): ResultContent {
  if (typeof content === "string") return content
  return content.map((block) => {
    if (block.type !== "tool_reference") return block
    const tool = known.get(block.tool_name)
    if (!tool) return text(`The tool ${block.tool_name} is not there any more.`)
    return loading === "by_reference" ? block : text(definitionText(tool))
  })
}

const text = (words: string): TextBlock => ({ type: "text", text: escapeImitations(words) })
