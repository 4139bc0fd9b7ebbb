/** Offers a session on a Unix socket, to any number of clients, one after the other or at once. */

import type { Session } from "#session/port/session.ts"
import { openLines, type ToClient, type ToServer } from "./socket-wire.ts"

interface Line {
  write(text: string): number
}

/** What a slow reader has not taken yet waits here, so that nothing is lost. */
interface Client {
  readonly read: (bytes: Uint8Array) => void
  readonly drain: () => void
  readonly leave: () => void
}

export function offerSession(session: Session, path: string): { readonly stop: () => void } {
  const server = Bun.listen<Client>({
    unix: path,
    socket: {
      open: (socket) => void (socket.data = openClient(session, socket)),
      data: (socket, bytes) => socket.data.read(bytes),
      drain: (socket) => socket.data.drain(),
      close: (socket) => socket.data.leave(),
    },
  })
  return { stop: () => server.stop(true) }
}

function openClient(session: Session, line: Line): Client {
  const asking = new Map<number, AbortController>()
  let unsent: Buffer = Buffer.alloc(0)
  let isGone = false

  function drain(): void {
    while (unsent.length > 0 && !isGone) {
      const written = line.write(unsent as unknown as string)
      if (written <= 0) return
      unsent = unsent.subarray(written)
    }
  }
  const tell = (message: ToClient): void => {
    if (isGone) return
    unsent = Buffer.concat([unsent, Buffer.from(`${JSON.stringify(message)}\n`)])
    drain()
  }
  async function follow(number: number, after: string): Promise<void> {
    for await (const event of session.events(after)) {
      if (isGone) return
      tell({ type: "event", number, event })
    }
    tell({ type: "end", number })
  }
  async function answer(number: number, message: ToServer & { type: "ask" }): Promise<void> {
    const cancelled = new AbortController()
    asking.set(number, cancelled)
    try {
      tell({ type: "answer", number, answer: await session.ask(message.query, cancelled.signal) })
    } catch (error) {
      tell({ type: "refused", number, why: error instanceof Error ? error.message : String(error) })
    }
    asking.delete(number)
  }

  tell({ type: "hello", id: session.id })
  return {
    drain,
    read: openLines((text) => {
      const message = JSON.parse(text) as ToServer
      const { number } = message
      if (message.type === "submit")
        void session.submit(message.op).then((done) => tell({ type: "submitted", number, done }))
      if (message.type === "ask") void answer(number, message)
      if (message.type === "cancel") asking.get(number)?.abort()
      if (message.type === "events") void follow(number, message.after)
    }),
    leave() {
      isGone = true
      for (const cancelled of asking.values()) cancelled.abort()
    },
  }
}
