/** What the model says and thinks, as parts of a response that grow, from passing deltas and from the entries that have all of it. */

import type { Entry } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { ChatAction } from "./chat-state.ts"

export interface StreamedText {
  readonly onDelta: (moment: Moment & { readonly type: "model_delta" }, cursor: string) => readonly ChatAction[]
  /** Undefined for blocks that are neither text nor thinking. */
  readonly onReply: (entry: Entry & { readonly kind: "reply" }) => readonly ChatAction[] | undefined
  readonly onReplyEnd: (messageId: string) => void
}

interface OpenPart {
  readonly messageId: string
  readonly index: number
  sent: string
  /** Of the last delta; nothing once one is missing, and then the rest comes with the entry. */
  cursor: string | undefined
}

/**
 * Deltas come on another way than entries: some may be late, and some may be lost. A part that has begun can only grow, so what is sent must be the
 * beginning of what the entry says: deltas are used from the first of a block on, as long as none is missing.
 */
export function openStreamedText(turnId: () => string): StreamedText {
  let part: OpenPart | undefined
  /** How many blocks of the current message have arrived whole. */
  let whole = { messageId: "", blocks: 0 }
  let endedId = ""

  const partId = (messageId: string, index: number): string => `${messageId}:${index}`

  function said(kind: "markdown" | "reasoning", messageId: string, index: number, text: string): readonly ChatAction[] {
    if (text === "") return []
    const id = partId(messageId, index)
    const isOpen = part?.messageId === messageId && part.index === index && part.sent !== ""
    if (part?.messageId === messageId && part.index === index) part.sent += text
    if (!isOpen) return [{ type: "chat/responsePart", turnId: turnId(), part: { kind, id, content: text } }]
    const type = kind === "markdown" ? "chat/delta" : "chat/reasoning"
    return [{ type, turnId: turnId(), partId: id, content: text }]
  }

  return {
    onDelta({ messageId, delta }, cursor) {
      if (messageId === endedId) return []
      if (delta.type === "block_start") {
        const isLate = whole.messageId === messageId && delta.index < whole.blocks
        part = isLate ? undefined : { messageId, index: delta.index, sent: "", cursor }
        return []
      }
      if (delta.type !== "text_delta" && delta.type !== "thinking_delta") return []
      if (part?.messageId !== messageId || part.index !== delta.index || part.cursor === undefined) return []
      part.cursor = follows(part.cursor, cursor) ? cursor : undefined
      if (part.cursor === undefined) return []
      return delta.type === "text_delta"
        ? said("markdown", messageId, delta.index, delta.text)
        : said("reasoning", messageId, delta.index, delta.thinking)
    },
    onReply({ messageId, block }) {
      const index = whole.messageId === messageId ? whole.blocks : 0
      whole = { messageId, blocks: index + 1 }
      const text = block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : undefined
      if (text === undefined) return undefined
      const sent = part?.messageId === messageId && part.index === index ? part.sent : ""
      const rest = text.startsWith(sent) ? text.slice(sent.length) : ""
      const actions = said(block.type === "text" ? "markdown" : "reasoning", messageId, index, rest)
      part = undefined
      return actions
    },
    onReplyEnd(messageId) {
      endedId = messageId
      part = undefined
    },
  }
}

/** Moments after an entry are numbered. */
function follows(before: string, after: string): boolean {
  const [, entry, number] = /^(.*)\+(\d+)$/s.exec(before) ?? []
  return after === `${entry}+${Number(number) + 1}`
}
