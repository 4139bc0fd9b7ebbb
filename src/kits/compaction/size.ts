/** How many tokens a conversation is: what the last answer said, and an estimate of what came since. */

import type { Entry } from "#agent/words/entry.ts"
import type { AnyBlock, Message } from "#agent/words/message.ts"
import type { Usage } from "#agent/words/model.ts"
import { imageSize } from "#lib/image-size.ts"
import { estimateTokens } from "#lib/tokens.ts"

/** What an image costs at most, because larger ones are made smaller, and a document of about ten pages. */
const mostImageTokens = 1_600
const pixelsPerToken = 750
const documentTokens = 30_000
/** The usual definition of a tool, which a result only names. */
const definitionTokens = 400

export const tokensOfMessages = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + tokensOfBlocks(content), 0)

export const tokensOfBlocks = (blocks: readonly AnyBlock[]): number =>
  blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0)

export function tokensOfBlock(block: AnyBlock): number {
  switch (block.type) {
    case "text":
      return estimateTokens(block.text)
    case "image":
      return imageTokens(block.source.data)
    case "document":
      return documentTokens
    case "tool_reference":
      return definitionTokens
    case "tool_result":
      return typeof block.content === "string" ? estimateTokens(block.content) : tokensOfBlocks(block.content)
    default:
      return estimateTokens(JSON.stringify(block))
  }
}

/** By its area, where that can be seen. */
function imageTokens(base64: string): number {
  const size = imageSize(base64)
  return size ? Math.min(mostImageTokens, Math.ceil((size.width * size.height) / pixelsPerToken)) : mostImageTokens
}

export interface Meter {
  readonly take: (entry: Entry) => void
  /** What the next request will hold, system prompt and tools included. */
  readonly tokens: () => number
}

/** The whole conversation is counted only when nothing is known of it: before the first answer, and when it was changed. */
export function openMeter(parts: {
  readonly messages: () => readonly Message[]
  /** System prompt and tools. */
  readonly fixedTokens: () => number
}): Meter {
  let known: number | undefined
  let since = 0
  /** The part of it that came before the message that is being spoken. */
  let before = 0
  let speaking = ""

  const begin = (messageId: string): void => {
    if (messageId === speaking) return
    speaking = messageId
    before = since
  }

  return {
    take(entry) {
      switch (entry.kind) {
        case "reply":
          return begin(entry.messageId)
        case "reply_end": {
          const used = usedTokens(entry.usage)
          if (used === 0) return
          begin(entry.messageId)
          known = used
          // Calls run while their message goes on: their results came since, too.
          since -= before
          before = 0
          return
        }
        case "shrink":
        case "stub":
        case "compaction":
        case "head":
          known = undefined
          return
        default:
          since += addedBy(entry)
      }
    },
    tokens() {
      if (known === undefined) {
        known = parts.fixedTokens() + tokensOfMessages(parts.messages())
        since = 0
        before = 0
      }
      return known + since
    },
  }
}

const usedTokens = (usage: Usage): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens + usage.output_tokens

function addedBy(entry: Entry): number {
  switch (entry.kind) {
    case "prompt":
      return tokensOfBlocks(entry.content)
    case "attachment":
      return estimateTokens(entry.text)
    case "shell":
      return estimateTokens(entry.command + entry.output)
    case "result":
      return typeof entry.content === "string" ? estimateTokens(entry.content) : tokensOfBlocks(entry.content)
    default:
      return 0
  }
}
