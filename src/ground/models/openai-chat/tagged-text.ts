/**
 * Text of servers that leave the marks of a model in it: thoughts between think tags at the very beginning, and calls
 * between tags on a line of their own. A call counts only if it is whole, and names a tool of the request.
 */

import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"

export interface TaggedText {
  readonly take: (piece: string, out: AnswerEvent[]) => void
  /** Whatever was held back is told. */
  readonly end: (out: AnswerEvent[]) => void
}

export interface TaggedParts {
  readonly text: (piece: string, out: AnswerEvent[]) => void
  readonly thinking: (piece: string, out: AnswerEvent[]) => void
  readonly call: (name: string, input: JsonObject, out: AnswerEvent[]) => void
  readonly isTool: (name: string) => boolean
}

const thinkOpen = "<think>"
const thinkClose = "</think>"
const callOpen = "<tool_call>"
const callClose = "</tool_call>"

export function openTaggedText({ text, thinking, call, isTool }: TaggedParts): TaggedText {
  let stage: "beginning" | "thinking" | "thought" | "text" | "call" = "beginning"
  let held = ""

  const say = (piece: string, out: AnswerEvent[]): void => {
    if (piece !== "") text(piece, out)
  }

  /** Goes on as far as it is certain what comes; the rest waits for more. */
  function advance(out: AnswerEvent[]): boolean {
    switch (stage) {
      case "beginning": {
        const start = held.trimStart()
        if (start.startsWith(thinkOpen)) {
          held = start.slice(thinkOpen.length)
          stage = "thinking"
          return true
        }
        if (thinkOpen.startsWith(start)) return false
        stage = "text"
        return true
      }
      case "thinking": {
        const at = held.indexOf(thinkClose)
        const sure = at === -1 ? held.length - tailOf(held, thinkClose) : at
        if (sure > 0) thinking(held.slice(0, sure), out)
        held = held.slice(at === -1 ? sure : at + thinkClose.length)
        if (at === -1) return false
        stage = "thought"
        return true
      }
      case "thought":
        held = held.trimStart()
        if (held === "") return false
        stage = "text"
        return true
      case "text": {
        const at = held.indexOf(callOpen)
        const sure = at === -1 ? held.length - tailOf(held, callOpen) : at
        say(held.slice(0, sure), out)
        held = held.slice(sure)
        if (at === -1) return false
        stage = "call"
        return true
      }
      case "call": {
        const at = held.indexOf(callClose)
        if (at === -1) return false
        const whole = held.slice(0, at + callClose.length)
        const found = callIn(held.slice(callOpen.length, at))
        if (found && isTool(found.name)) call(found.name, found.input, out)
        else say(whole, out)
        held = held.slice(whole.length)
        stage = "text"
        return true
      }
    }
  }

  return {
    take(piece, out) {
      held += piece
      while (advance(out));
    },
    end(out) {
      if (stage === "thinking") {
        if (held !== "") thinking(held, out)
      } else say(held, out)
      held = ""
      stage = "text"
    },
  }
}

/** How much of the end of a text could be the beginning of a mark. */
function tailOf(text: string, mark: string): number {
  // A mark has one angle bracket at its beginning, and no other.
  const at = text.lastIndexOf("<")
  return at !== -1 && text.length - at < mark.length && mark.startsWith(text.slice(at)) ? text.length - at : 0
}

function callIn(text: string): { readonly name: string; readonly input: JsonObject } | undefined {
  const found = objectIn(text.trim())
  if (!found || typeof found.name !== "string") return undefined
  const input = found.arguments ?? found.parameters ?? {}
  return isObject(input) ? { name: found.name, input } : undefined
}
