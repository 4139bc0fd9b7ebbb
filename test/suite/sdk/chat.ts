/** A conversation that stays open, as a chat would keep it. */

import type { Query } from "claude-agent-sdk-0.3"
import { type Message, openStream, type Told, type World } from "./drive.ts"

export interface Chat {
  readonly query: Query
  readonly stream: ReturnType<typeof openStream>
  readonly told: Message[]
  /** Resolves with the next message that fits, looking also at those that came since the last wait. */
  readonly next: (fits: (message: Message) => boolean) => Promise<Message>
  readonly end: () => Promise<Told>
}

/** A conversation whose messages are followed while it stays open. */
export function openChat(world: World, options: Parameters<World["options"]>[0] = {}): Chat {
  const stream = openStream()
  const query = world.query({ prompt: stream.prompt, options: world.options(options) })
  const told: Message[] = []
  let seen = 0
  let wake = Promise.withResolvers<void>()
  let isOver = false
  let thrown: string | undefined
  const follow = async (): Promise<void> => {
    try {
      for await (const message of query) {
        told.push(message as Message)
        wake.resolve()
        wake = Promise.withResolvers()
      }
    } catch (error) {
      thrown = error instanceof Error ? error.message : String(error)
    }
    isOver = true
    wake.resolve()
  }
  const followed = follow()
  return {
    query,
    stream,
    told,
    async next(fits) {
      for (;;) {
        const { promise } = wake
        while (seen < told.length) {
          const message = told[seen++] as Message
          if (fits(message)) return message
        }
        if (isOver) throw new Error(`It ended before: ${JSON.stringify(told)} ${thrown ?? ""}`)
        await promise
      }
    },
    async end() {
      stream.end()
      await followed
      return { messages: told, thrown }
    },
  }
}
