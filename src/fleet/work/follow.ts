/** What the records of a fleet need to know of a session besides its stage, folded from its entries. */

import type { Entry } from "#agent/words/entry.ts"

export interface Followed {
  readonly take: (entry: Entry) => void
  /** Whether a prompt with this id is in the log. */
  readonly has: (promptId: string) => boolean
  readonly title: () => string | undefined
}

export function openFollowed(): Followed {
  const prompts = new Set<string>()
  let title: string | undefined
  return {
    take(entry) {
      switch (entry.kind) {
        case "prompt":
        case "queued":
        case "command":
        case "unsent":
          prompts.add(entry.promptId)
          break
        case "title":
          title = entry.text
          break
      }
    },
    has: (promptId) => prompts.has(promptId),
    title: () => title,
  }
}
