/** Lets faces in other processes of the same user use a session that this process has open. */

import { listenLocally, type LineSocket, type SocketEvents } from "#ground/workspace/processes/local-socket.ts"
import { isObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import { decodeToHolder, type ToFace, type ToHolder } from "./relay-words.ts"
import type { Session } from "./session.ts"

export interface OfferParts {
  readonly session: Session
  readonly path: string
  readonly version: string
  readonly pid: number
  readonly isWelcome: (fd: number) => boolean
  /** Called with how many faces use it, when that changes. */
  readonly onFaces?: (count: number) => void
}

export function offerSession(parts: OfferParts): Result<{ readonly stop: () => void }, string> {
  const { path, isWelcome, onFaces = () => {} } = parts
  let count = 0
  return listenLocally(path, isWelcome, (socket) => {
    const relay = openRelay(parts, socket)
    onFaces(++count)
    return {
      ...relay,
      onClosed() {
        relay.onClosed()
        onFaces(--count)
      },
    }
  })
}

function openRelay({ session, version, pid }: OfferParts, socket: LineSocket): SocketEvents {
  const asking = new Map<number, AbortController>()
  const followed = new Map<number, AsyncIterator<unknown>>()
  const tell = (message: ToFace): void => socket.send(message)
  // What is new for a face begins when it comes.
  const opened = session.ask({ type: "last_entry" })

  async function follow({ number, after }: ToHolder & { type: "events" }): Promise<void> {
    const events = session.events(after)[Symbol.asyncIterator]()
    followed.set(number, events)
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (!followed.has(number)) return
      tell({ type: "event", number, event: next.value })
    }
    followed.delete(number)
    tell({ type: "end", number })
  }

  async function answer({ number, query }: ToHolder & { type: "ask" }): Promise<void> {
    const cancelled = new AbortController()
    asking.set(number, cancelled)
    try {
      const given = await session.ask(query, cancelled.signal)
      const about = query.type === "about" ? { opened: (await opened).cursor, isShared: true } : undefined
      tell({ type: "answer", number, answer: about && isObject(given) ? { ...given, ...about } : given })
    } catch (error) {
      tell({ type: "refused", number, why: error instanceof Error ? error.message : String(error) })
    }
    asking.delete(number)
  }

  async function submit({ number, op }: ToHolder & { type: "submit" }): Promise<void> {
    tell({ type: "submitted", number, done: await session.submit(op) })
  }

  function leave(number: number): void {
    void followed.get(number)?.return?.()
    followed.delete(number)
  }

  tell({ type: "hello", id: session.id, version, pid })
  return {
    onMessage(text) {
      const message = decodeToHolder(text)
      switch (message.type) {
        case "submit":
          return void submit(message)
        case "ask":
          return void answer(message)
        case "cancel":
          return asking.get(message.number)?.abort()
        case "events":
          return void follow(message)
        case "leave":
          return leave(message.number)
      }
    },
    onClosed() {
      for (const cancelled of asking.values()) cancelled.abort()
      for (const number of followed.keys()) leave(number)
    },
  }
}
