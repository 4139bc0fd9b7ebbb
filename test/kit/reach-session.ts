/** A session in another process, reached through a Unix socket: the same port that the process itself has. */

import type { Event } from "#agent/words/event.ts"
import { type Channel, channel } from "#lib/channel.ts"
import type { SessionPort } from "#session/port/session.ts"
import { openLines, type ToClient, type ToServer } from "./socket-wire.ts"

export interface ReachedSession extends SessionPort {
  readonly id: string
  /** Lets go of the line; the session stays open. */
  readonly leave: () => void
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export async function reachSession(path: string): Promise<ReachedSession> {
  const waiting = new Map<number, Waiting>()
  const followed = new Map<number, Channel<Event>>()
  const hello = Promise.withResolvers<string>()
  const unreachable = new Error("The session cannot be reached any more.")
  let last = 0
  let isLost = false

  const take = openLines((line) => {
    const message = JSON.parse(line) as ToClient
    switch (message.type) {
      case "hello":
        return hello.resolve(message.id)
      case "event":
        return followed.get(message.number)?.push(message.event)
      case "end":
        return followed.get(message.number)?.close()
      case "refused":
        waiting.get(message.number)?.reject(new Error(message.why))
        return void waiting.delete(message.number)
      default:
        waiting.get(message.number)?.resolve((message.type === "answer" ? message.answer : message.done) as never)
        return void waiting.delete(message.number)
    }
  })
  function lost(): void {
    isLost = true
    hello.reject(unreachable)
    for (const { reject } of waiting.values()) reject(unreachable)
    for (const events of followed.values()) events.close()
  }
  const socket = await Bun.connect({
    unix: path,
    socket: { data: (_, bytes) => take(bytes), close: lost, error: lost },
  })
  const send = (message: ToServer): void => void socket.write(`${JSON.stringify(message)}\n`)
  const answered = <T>(message: ToServer): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isLost) return reject(unreachable)
      waiting.set(message.number, { resolve: resolve as Waiting["resolve"], reject })
      send(message)
    })

  return {
    id: await hello.promise,
    submit: (op) => answered({ type: "submit", number: ++last, op }),
    ask(query, signal) {
      const number = ++last
      signal?.addEventListener("abort", () => send({ type: "cancel", number }), { once: true })
      return answered({ type: "ask", number, query })
    },
    events(after) {
      const number = ++last
      const events = channel<Event>()
      followed.set(number, events)
      send({ type: "events", number, after })
      return events
    },
    leave: () => socket.end(),
  }
}
