/** Where each prompt is in a conversation. */

import type { PromptBlocks } from "#agent/words/entry.ts"
import type { Message, PromptBlock } from "#agent/words/message.ts"
import type { Prompt } from "./prompts.ts"

/** One place for each prompt; undefined if it is no longer there. Searched from the newest backwards, so that identical prompts each get their own place. */
export function placesOf(
  prompts: readonly Prompt[],
  messages: readonly Message[],
): readonly (PromptBlocks | undefined)[] {
  const places: (PromptBlocks | undefined)[] = []
  const taken = new Set<unknown>()
  let from = messages.length - 1
  for (const prompt of prompts.toReversed()) {
    const place = lastPlaceOf(prompt, messages, from, taken)
    if (place) {
      from = place.message
      for (const index of place.blocks) taken.add(messages[from]?.content[index])
    }
    places.unshift(place)
  }
  return places
}

function lastPlaceOf(
  prompt: Prompt,
  messages: readonly Message[],
  from: number,
  taken: ReadonlySet<unknown>,
): PromptBlocks | undefined {
  // Images may have been replaced by a word, and blank text is not sent: match by what is left.
  const texts = prompt.filter((block) => block.type === "text" && block.text.trim() !== "")
  const telling = texts.length > 0 ? texts : prompt
  for (let message = from; message >= 0; message--) {
    const { role, content = [] } = messages[message] ?? {}
    if (role !== "user") continue
    const blocks = telling.map((block) => content.findLastIndex((other) => !taken.has(other) && isSame(block, other)))
    if (blocks.length > 0 && blocks.every((index) => index >= 0)) return { message, blocks }
  }
  return undefined
}

const isSame = (block: PromptBlock, other: Message["content"][number]): boolean =>
  block === other || (block.type === "text" && other.type === "text" && block.text === other.text)
