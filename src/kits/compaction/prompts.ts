/** The user's prompts, folded from the log: they are carried over a compaction verbatim. */

import type { Entry } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import type { PromptBlock } from "#agent/words/message.ts"

export type Prompt = readonly PromptBlock[]

interface NamedPrompt {
  readonly promptId?: string
  readonly content: Prompt
}

export interface Prompts {
  readonly onEntry: OnEntry
  readonly forget: () => void
  /** Oldest first. */
  readonly all: () => readonly Prompt[]
  /** Index from the oldest; -1 if it is unknown or already summarized. */
  readonly indexOf: (promptId: string) => number
}

export function openPrompts(): Prompts {
  let prompts: NamedPrompt[] = []
  return {
    all: () => prompts.map(({ content }) => content),
    indexOf: (promptId) => prompts.findIndex((prompt) => prompt.promptId === promptId),
    forget() {
      prompts = []
    },
    onEntry: byKind({
      prompt: (entry) => void prompts.push(entry),
      compaction: (entry) => void (prompts = carriedIn(entry).map((content) => ({ content }))),
    }),
  }
}

function carriedIn({ messages, said = [] }: Entry & { kind: "compaction" }): Prompt[] {
  return said.map(({ message, blocks }) => {
    const content = messages[message]?.content ?? []
    return blocks.flatMap((index) => {
      const block = content[index]
      return block?.type === "text" ? [block] : []
    })
  })
}
