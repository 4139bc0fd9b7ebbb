/** Where the tokens are: what fills the window, part by part. */

import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { toldIn } from "./memory-words.ts"

export interface ContextParts {
  readonly window: number
  readonly parts: readonly ContextPart[]
}

export interface ContextPart {
  readonly name: string
  readonly tokens: number
}

export interface ContextQuestion {
  readonly request: Pick<Request, "system" | "tools" | "messages">
  /** What the next request holds, all together. */
  readonly contextTokens: number
  readonly window: number
  /** From here on the conversation is compacted, or nothing more is sent. */
  readonly usable: number
}

/** The parts add up to the window, or to what is in it when that is more. */
export function contextParts({ request, contextTokens, window, usable }: ContextQuestion): ContextParts {
  const system = estimateTokens(request.system.map(({ text }) => text).join("\n"))
  const isForeign = ({ name }: { readonly name: string }): boolean => name.startsWith("mcp__")
  const own = estimateTokens(JSON.stringify(request.tools.filter((tool) => !isForeign(tool))))
  const foreign = request.tools.some(isForeign) ? estimateTokens(JSON.stringify(request.tools.filter(isForeign))) : 0
  const memory = request.messages.reduce((sum, message) => sum + memoryTokens(message), 0)
  const messages = Math.max(0, contextTokens - system - own - foreign - memory)
  const parts = [
    { name: "System prompt", tokens: system },
    { name: "Tools", tokens: own },
    { name: "MCP tools", tokens: foreign },
    { name: "Memory files", tokens: memory },
    { name: "Messages", tokens: messages },
    { name: "Kept free for answers", tokens: window - usable },
    { name: "Free", tokens: Math.max(0, usable - contextTokens) },
  ]
  return { window, parts: parts.filter(({ tokens }) => tokens > 0) }
}

const memoryTokens = ({ role, content }: Message): number =>
  role === "assistant"
    ? 0
    : content.reduce(
        (sum, block) => sum + (block.type === "text" && isMemory(block.text) ? estimateTokens(block.text) : 0),
        0,
      )

const isMemory = (text: string): boolean => text.startsWith("<system-reminder>") && toldIn(text).length > 0
