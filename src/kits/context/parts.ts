/** What fills the context window, part by part. */

import type { AnyBlock, Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { estimateTokens } from "#lib/tokens.ts"
import type { BlockSource, Conversation } from "./assemble.ts"
import { filesIn } from "./memory-told.ts"

export interface ContextParts {
  readonly model: string
  readonly window: number
  readonly parts: readonly ContextPart[]
}

export interface ContextPart {
  readonly name: string
  readonly tokens: number
}

export interface ContextQuestion {
  readonly request: Pick<Request, "model" | "system" | "tools" | "messages">
  readonly contextTokens: number
  readonly window: number
  /** From here on the conversation is compacted, or nothing more is sent. */
  readonly usable: number
  readonly sourceOf: Conversation["sourceOf"]
  readonly isSkills?: ((name: string) => boolean) | undefined
}

/** The parts that nothing fills yet. */
export const reservedPart = "Reserved for answers"
export const freePart = "Free"

/** The parts add up to the window, or to its content if that is more. */
export function contextParts(question: ContextQuestion): ContextParts {
  const { request, contextTokens, window, usable, sourceOf, isSkills } = question
  const system = estimateTokens(request.system.map(({ text }) => text).join("\n"))
  const isForeign = ({ name }: { readonly name: string }): boolean => name.startsWith("mcp__")
  // A deferred tool takes no room until a message refers to it, and then it counts as part of that.
  const listed = request.tools.filter(({ deferred }) => !deferred)
  const own = estimateTokens(JSON.stringify(listed.filter((tool) => !isForeign(tool))))
  const foreign = listed.some(isForeign) ? estimateTokens(JSON.stringify(listed.filter(isForeign))) : 0
  const tokensFrom = (isOne: (source: BlockSource) => boolean): number =>
    request.messages.reduce((sum, message) => sum + tokensOf(message, (block) => isOne(sourceOf(block) ?? none)), 0)
  const memory = tokensFrom(({ data }) => (filesIn(data) ?? []).length > 0)
  const skills = tokensFrom(({ name }) => isSkills?.(name) ?? false)
  const messages = Math.max(0, contextTokens - system - own - foreign - memory - skills)
  const parts = [
    { name: "System prompt", tokens: system },
    { name: "Tools", tokens: own },
    { name: "MCP tools", tokens: foreign },
    { name: "Memory files", tokens: memory },
    { name: "Skills", tokens: skills },
    { name: "Messages", tokens: messages },
    { name: reservedPart, tokens: window - usable },
    { name: freePart, tokens: Math.max(0, usable - contextTokens) },
  ]
  return { model: request.model, window, parts: parts.filter(({ tokens }) => tokens > 0) }
}

/** The single tools and memory files behind the parts. */
export interface ContextDetails {
  readonly tools: readonly { readonly name: string; readonly tokens: number; readonly deferred?: true }[]
  /** Paths of the memory files that the model was shown. */
  readonly memory: readonly string[]
}

export function contextDetails({ request, sourceOf }: Pick<ContextQuestion, "request" | "sourceOf">): ContextDetails {
  const paths = request.messages.flatMap(({ content }) =>
    content.flatMap((block) => filesIn((sourceOf(block) ?? none).data) ?? []),
  )
  return {
    tools: request.tools.map(({ deferred, ...tool }) => ({
      name: tool.name,
      tokens: estimateTokens(JSON.stringify(tool)),
      ...(deferred && { deferred }),
    })),
    memory: [...new Set(paths)],
  }
}

const none: BlockSource = { name: "" }

const tokensOf = ({ role, content }: Message, isOne: (block: AnyBlock) => boolean): number =>
  role === "assistant"
    ? 0
    : content.reduce((sum, block) => sum + (block.type === "text" && isOne(block) ? estimateTokens(block.text) : 0), 0)
