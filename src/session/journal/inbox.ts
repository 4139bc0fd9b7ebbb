/** What was said to the agent and is not delivered yet. */

import type { CommandUse } from "#agent/words/command.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import { textOf } from "#agent/words/message.ts"

export interface Waiting {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly when: "steer" | "queue"
  /** It was a command, and is expanded already. */
  readonly command?: CommandUse
}

export interface Inbox {
  readonly put: (waiting: Waiting) => void
  /** Before everything else that waits. */
  readonly putFirst: (waiting: Waiting) => void
  /** The next one for a new turn, oldest first. */
  readonly take: () => Waiting | undefined
  /** All that may go in between two steps, oldest first. */
  readonly takeSteering: () => readonly Waiting[]
  readonly texts: () => readonly string[]
}

export function openInbox(): Inbox {
  let waiting: Waiting[] = []
  return {
    put: (one) => void waiting.push(one),
    putFirst: (one) => void waiting.unshift(one),
    take: () => waiting.shift(),
    takeSteering() {
      const steering = waiting.filter(({ when }) => when === "steer")
      waiting = waiting.filter(({ when }) => when !== "steer")
      return steering
    },
    texts: () => waiting.map(({ content }) => textOf(content)),
  }
}
