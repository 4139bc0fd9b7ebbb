/** What the person wrote, prompt by prompt, folded from the log: it is carried over a compaction word for word. */

import type { Entry } from "#agent/words/entry.ts"
import type { PromptBlock } from "#agent/words/message.ts"

export type Prompt = readonly PromptBlock[]

export interface Prompts {
  readonly take: (entry: Entry) => void
  readonly forget: () => void
  /** Oldest first. */
  readonly all: () => readonly Prompt[]
}

export function openPrompts(): Prompts {
  let prompts: Prompt[] = []
  return {
    all: () => prompts,
    forget() {
      prompts = []
    },
    take(entry) {
      if (entry.kind === "prompt") prompts.push(entry.content)
      if (entry.kind === "compaction") prompts = carriedIn(entry)
    },
  }
}

/** What an earlier compaction carried over. */
function carriedIn({ messages, said = [] }: Entry & { kind: "compaction" }): Prompt[] {
  return said.map(({ message, blocks }) => {
    const content = messages[message]?.content ?? []
    return blocks.flatMap((index) => {
      const block = content[index]
      return block?.type === "text" ? [block] : []
    })
  })
}
