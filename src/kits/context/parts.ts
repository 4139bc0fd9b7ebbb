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
  /** Whether a block is the list of skills. */
  readonly isSkills?: ((block: string) => boolean) | undefined
}

/** The parts add up to the window, or to what is in it when that is more. */
export function contextParts({ request, contextTokens, window, usable, isSkills }: ContextQuestion): ContextParts {
  const system = estimateTokens(request.system.map(({ text }) => text).join("\n"))
  const isForeign = ({ name }: { readonly name: string }): boolean => name.startsWith("mcp__")
  // What is deferred fills nothing until a message refers to it, and then it is part of that.
  const listed = request.tools.filter(({ deferred }) => !deferred)
  const own = estimateTokens(JSON.stringify(listed.filter((tool) => !isForeign(tool))))
  const foreign = listed.some(isForeign) ? estimateTokens(JSON.stringify(listed.filter(isForeign))) : 0
  const memory = request.messages.reduce((sum, message) => sum + tokensOf(message, isMemory), 0)
  const skills = isSkills ? request.messages.reduce((sum, message) => sum + tokensOf(message, isSkills), 0) : 0
  const messages = Math.max(0, contextTokens - system - own - foreign - memory - skills)
  const parts = [
    { name: "System prompt", tokens: system },
    { name: "Tools", tokens: own },
    { name: "MCP tools", tokens: foreign },
    { name: "Memory files", tokens: memory },
    { name: "Skills", tokens: skills },
    { name: "Messages", tokens: messages },
    { name: "Kept free for answers", tokens: window - usable },
    { name: "Free", tokens: Math.max(0, usable - contextTokens) },
  ]
  return { window, parts: parts.filter(({ tokens }) => tokens > 0) }
}

const tokensOf = ({ role, content }: Message, isOne: (text: string) => boolean): number =>
  role === "assistant"
    ? 0
    : content.reduce(
        (sum, block) => sum + (block.type === "text" && isOne(block.text) ? estimateTokens(block.text) : 0),
        0,
      )

const isMemory = (text: string): boolean => text.startsWith("<system-reminder>") && toldIn(text).length > 0
