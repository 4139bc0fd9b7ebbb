/** Thoughts that a server leaves in the text, between tags at the very beginning of an answer. */

import type { AnswerEvent } from "#ground/models/attempt.ts"

export interface ThoughtTags {
  /** Tells thoughts, and returns what comes after them. */
  readonly push: (piece: string, out: AnswerEvent[]) => string
  /** Nothing more comes: returns what was held back, unless it is a thought. */
  readonly end: (out: AnswerEvent[]) => string
}

const tags: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["[THINK]", "[/THINK]"],
]

export function openThoughtTags(thinking: (piece: string, out: AnswerEvent[]) => void): ThoughtTags {
  let stage: "beginning" | "thinking" | "thought" | "over" = "beginning"
  let buffered = ""
  let close = ""

  const release = (): string => {
    const all = buffered
    buffered = ""
    stage = "over"
    return all
  }

  function advance(out: AnswerEvent[]): string {
    if (stage === "beginning") {
      const start = buffered.trimStart()
      const tag = tags.find(([open]) => start.startsWith(open))
      if (!tag) return tags.some(([open]) => open.startsWith(start)) ? "" : release()
      buffered = start.slice(tag[0].length)
      close = tag[1]
      stage = "thinking"
    }
    if (stage === "thinking") {
      const at = buffered.indexOf(close)
      const sure = at === -1 ? buffered.length - tailOf(buffered, close) : at
      if (sure > 0) thinking(buffered.slice(0, sure), out)
      buffered = buffered.slice(at === -1 ? sure : at + close.length)
      if (at === -1) return ""
      stage = "thought"
    }
    buffered = buffered.trimStart()
    return buffered === "" ? "" : release()
  }

  return {
    push(piece, out) {
      if (stage === "over") return piece
      buffered += piece
      return advance(out)
    },
    end(out) {
      if (stage === "thinking" && buffered !== "") thinking(buffered, out)
      return stage === "beginning" ? release() : (release(), "")
    },
  }
}

/** How much of the end of a text could be the beginning of a mark. */
function tailOf(text: string, mark: string): number {
  // The first character of a mark is nowhere else in it.
  const at = text.lastIndexOf(mark[0] ?? "")
  return at !== -1 && text.length - at < mark.length && mark.startsWith(text.slice(at)) ? text.length - at : 0
}
