/** Pieces of a block that arrive together, as one: a burst of tokens is told and drawn once. */

import type { AnswerEvent } from "./attempt.ts"

export function joined(events: readonly AnswerEvent[]): readonly AnswerEvent[] {
  if (events.length < 2) return events
  const out: AnswerEvent[] = []
  let last: AnswerEvent | undefined
  for (const event of events) {
    const both = last && together(last, event)
    if (both) out[out.length - 1] = both
    else out.push(event)
    last = both ?? event
  }
  return out
}

function together(one: AnswerEvent, next: AnswerEvent): AnswerEvent | undefined {
  if (!("index" in one) || !("index" in next) || one.index !== next.index) return undefined
  if (one.type === "text_delta" && next.type === "text_delta") return { ...next, text: one.text + next.text }
  if (one.type === "thinking_delta" && next.type === "thinking_delta")
    return { ...next, thinking: one.thinking + next.thinking }
  if (one.type === "input_delta" && next.type === "input_delta") return { ...next, json: one.json + next.json }
  return undefined
}
