/** Prompts that have not been delivered yet. */

import type { CommandUse } from "#agent/words/command.ts"
import { type Follower, byKind } from "#agent/words/follower.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { PromptOrigin } from "#agent/words/origin.ts"
import { textOf } from "#agent/words/message.ts"

export interface WaitingPrompt {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly when: "steer" | "queue"
  readonly command?: CommandUse
  readonly origin?: PromptOrigin
  /** `shell`: a user's own command, to be run instead of sent. `text`: nothing in it is a command. */
  readonly as?: "shell" | "text"
  /** What comes after it waits until it is released. */
  readonly holds?: true
  /** The face that sent it, if it is in another process. */
  readonly from?: string
}

export interface Inbox {
  /** Whether a prompt with this id was already taken, in this process or an earlier one: an uncertain client sends it again. */
  readonly knows: (promptId: string) => boolean
  /** Learns which prompts are in the log. */
  readonly follower: Follower
  readonly add: (waiting: WaitingPrompt) => void
  readonly putFirst: (waiting: WaitingPrompt) => void
  /** The next prompt for a new turn, oldest first. */
  readonly next: () => WaitingPrompt | undefined
  /** All prompts that may be sent between two steps, oldest first. */
  readonly takeSteering: () => readonly WaitingPrompt[]
  /** Nothing is taken until it is released, or something new is put in. */
  readonly pause: () => void
  readonly release: () => void
  /** Removes everything of this face that waits, or the latest. */
  readonly withdraw: (what: "all" | "last", from: string | undefined) => readonly WaitingPrompt[]
  readonly texts: () => readonly string[]
}

export function openInbox(): Inbox {
  let waiting: WaitingPrompt[] = []
  const known = new Set<string>()
  let isHeld = false
  const meet = ({ promptId }: { readonly promptId: string }): void => void known.add(promptId)
  return {
    knows: (promptId) => known.has(promptId),
    follower: { onEntry: byKind({ prompt: meet, queued: meet, command: meet, unsent: meet }) },
    add(one) {
      known.add(one.promptId)
      waiting.push(one)
      isHeld = false
    },
    putFirst: (one) => void waiting.unshift(one),
    next: () => (isHeld ? undefined : waiting.shift()),
    pause: () => void (isHeld = true),
    release: () => void (isHeld = false),
    takeSteering() {
      if (isHeld) return []
      // What follows a command was typed with the command already done in mind.
      const found = waiting.findIndex(isCommand)
      const first = found === -1 ? waiting : waiting.slice(0, found)
      const steering = first.filter(({ when }) => when === "steer")
      waiting = waiting.filter((one) => !steering.includes(one))
      return steering
    },
    withdraw(what, from) {
      const own = waiting.filter((one) => one.from === from)
      const gone = what === "all" ? own : own.slice(-1)
      waiting = waiting.filter((one) => !gone.includes(one))
      return gone
    },
    texts: () => waiting.map(({ content, as }) => (as === "shell" ? `! ${textOf(content)}` : textOf(content))),
  }
}

const isCommand = ({ as, when, content }: WaitingPrompt): boolean =>
  as === "shell" || (as !== "text" && when === "queue" && textOf(content).startsWith("/"))
