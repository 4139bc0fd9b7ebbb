/** The size of content: in tokens, as well as that can be estimated, and in a request's body. */

import { imageSize } from "#lib/image-size.ts"
import { estimateTokens, mostTokens } from "#lib/tokens.ts"
import type { Entry } from "./entry.ts"
import type { AnyBlock, MediaSource, Message } from "./message.ts"

export interface Weight {
  /** The best estimate: shown to users, and compared with the context window. */
  readonly tokens: number
  /** An upper bound: what money is reserved for. */
  readonly most: number
  /** Characters of the request's body. */
  readonly chars: number
  readonly media: number
}

export const weightless: Weight = { tokens: 0, most: 0, chars: 0, media: 0 }

export const plus = (a: Weight, b: Weight): Weight =>
  b === weightless
    ? a
    : {
        tokens: a.tokens + b.tokens,
        most: a.most + b.most,
        chars: a.chars + b.chars,
        media: a.media + b.media,
      }

export const minus = (a: Weight, b: Weight): Weight => ({
  tokens: a.tokens - b.tokens,
  most: a.most - b.most,
  chars: a.chars - b.chars,
  media: a.media - b.media,
})

/** Larger images are scaled down, so none costs more. */
const mostImageTokens = 1_600
const pixelsPerToken = 750
/** About ten pages. */
const documentTokens = 30_000
/** The definition of a tool, which a result only names: a typical one, and the longest before they are cut. */
const definitionTokens = 400
const mostDefinitionTokens = 1_500

export const textWeight = (text: string): Weight => ({
  tokens: estimateTokens(text),
  most: mostTokens(text),
  chars: text.length,
  media: 0,
})

function blockWeight(block: AnyBlock): Weight {
  switch (block.type) {
    case "text":
      return textWeight(block.text)
    case "image":
      return {
        tokens: block.source.type === "url" ? mostImageTokens : imageTokens(block.source.data),
        most: mostImageTokens,
        chars: sourceChars(block.source),
        media: 1,
      }
    case "document":
      return { tokens: documentTokens, most: documentTokens, chars: sourceChars(block.source), media: 1 }
    case "tool_reference":
      return { tokens: definitionTokens, most: mostDefinitionTokens, chars: block.tool_name.length, media: 0 }
    case "tool_result":
      return typeof block.content === "string" ? textWeight(block.content) : blocksWeight(block.content)
    default:
      return textWeight(JSON.stringify(block))
  }
}

const sourceChars = (source: MediaSource): number => (source.type === "url" ? source.url : source.data).length

/** By its area, if that can be read. */
function imageTokens(base64: string): number {
  const size = imageSize(base64)
  return size ? Math.min(mostImageTokens, Math.ceil((size.width * size.height) / pixelsPerToken)) : mostImageTokens
}

const blocksWeight = (blocks: readonly AnyBlock[]): Weight => blocks.map(blockWeight).reduce(plus, weightless)

export const messagesWeight = (messages: readonly Message[]): Weight =>
  messages.map(({ content }) => blocksWeight(content)).reduce(plus, weightless)

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

export const tokensOfBlock = (block: AnyBlock): number => blockWeight(block).tokens
export const tokensOfBlocks = (blocks: readonly AnyBlock[]): number => blocksWeight(blocks).tokens
export const tokensOfMessages = (messages: readonly Message[]): number => messagesWeight(messages).tokens
