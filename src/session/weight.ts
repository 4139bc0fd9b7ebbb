/** How heavy content is: for the budget, for the provider's limits on media, and for the size of a request. */

import type { Entry } from "#agent/words/entry.ts"
import type { AnyBlock, Message } from "#agent/words/message.ts"

export interface Weight {
  /** At most so many tokens, for all we know. */
  readonly tokens: number
  /** Characters of the request's body. */
  readonly chars: number
  readonly media: number
}

export const weightless: Weight = { tokens: 0, chars: 0, media: 0 }

export const plus = (a: Weight, b: Weight): Weight => ({
  tokens: a.tokens + b.tokens,
  chars: a.chars + b.chars,
  media: a.media + b.media,
})

/** An image within the provider's limits, and a document of ten pages, cost no more than this. */
const imageTokens = 1_600
const documentTokens = 30_000
/** The definition of a tool that a result refers to; long ones are cut before they come here. */
const definitionTokens = 1_500

/** Dense code has three characters to a token, and other scripts a token to a character: bytes say both. */
export const textWeight = (text: string): Weight => ({
  tokens: Math.ceil(Buffer.byteLength(text) / 3),
  chars: text.length,
  media: 0,
})

export function entryWeight(entry: Entry): Weight {
  switch (entry.kind) {
    case "prompt":
      return blocksWeight(entry.content)
    case "attachment":
      return textWeight(entry.text)
    case "shell":
      return textWeight(`${entry.command}\n${entry.output}`)
    case "reply":
      return blockWeight(entry.block)
    case "result":
      return typeof entry.content === "string" ? textWeight(entry.content) : blocksWeight(entry.content)
    default:
      return weightless
  }
}

export const messagesWeight = (messages: readonly Message[]): Weight =>
  messages.map(({ content }) => blocksWeight(content)).reduce(plus, weightless)

const blocksWeight = (blocks: readonly AnyBlock[]): Weight => blocks.map(blockWeight).reduce(plus, weightless)

function blockWeight(block: AnyBlock): Weight {
  switch (block.type) {
    case "text":
      return textWeight(block.text)
    case "image":
      return { tokens: imageTokens, chars: block.source.data.length, media: 1 }
    case "document":
      return { tokens: documentTokens, chars: block.source.data.length, media: 1 }
    case "tool_reference":
      return plus(textWeight(block.tool_name), { ...weightless, tokens: definitionTokens })
    case "tool_result":
      return typeof block.content === "string" ? textWeight(block.content) : blocksWeight(block.content)
    default:
      return textWeight(JSON.stringify(block))
  }
}

/** The estimate that is shown: four characters to a token, media by their usual size. */
export function blockTokens(block: AnyBlock): number {
  const { chars, media, tokens } = blockWeight(block)
  return media > 0 ? tokens : Math.ceil(chars / 4)
}
