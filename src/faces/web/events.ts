/** What happens in sessions, as streams that clients continue where they were cut off. */

import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import { openTail, type Tail, type Wake, writtenOut } from "./tail.ts"

/** Proxies and browsers drop a connection that stays silent. */
const silenceMs = 15_000
const page = 200

export interface Followers {
  readonly follow: (wish: Follow) => ReadableStream<Uint8Array>
  /** How many streams are open, or how many of them one user has. */
  readonly open: (user?: string) => number
}

interface Follow {
  readonly sessionId: string
  readonly user: string
  readonly after: number
  readonly signal: AbortSignal
  /** Asked now and then: a token may be revoked meanwhile. */
  readonly isWelcome: () => Promise<boolean>
}

export function openFollowers({ store, clock }: { readonly store: FleetStore; readonly clock: Clock }): Followers {
  const tails = new Map<string, { readonly tail: Tail; readonly users: string[] }>()
  let stop = (): void => undefined

  /** As long as anybody follows anything. */
  function start(): () => void {
    const stopWatch = store.watch((which) => {
      for (const [id, { tail }] of tails) if (which === undefined || which === id) void tail.read()
    })
    let stopBeat = (): void => undefined
    const beat = (): void => {
      stopBeat = clock.after(silenceMs, () => {
        for (const { tail } of tails.values()) {
          void tail.read()
          tail.tell("silence")
        }
        beat()
      })
    }
    beat()
    return () => {
      stopWatch()
      stopBeat()
    }
  }

  /** The tail of a session, and how to let go of it. */
  function join({ sessionId, user }: Follow): readonly [Tail, () => void] {
    if (tails.size === 0) stop = start()
    const known = tails.get(sessionId) ?? {
      tail: openTail((after) => store.lines.events(sessionId, after, page)),
      users: [],
    }
    tails.set(sessionId, known)
    known.users.push(user)
    const leave = (): void => {
      known.users.splice(known.users.indexOf(user), 1)
      if (known.users.length > 0) return
      tails.delete(sessionId)
      if (tails.size === 0) stop()
    }
    return [known.tail, leave]
  }

  return {
    open: (user) =>
      [...tails.values()].flatMap(({ users }) => users).filter((each) => user === undefined || each === user).length,
    follow: (wish) => streamOf(wish, store, join(wish)),
  }
}

function streamOf(
  wish: Follow,
  store: FleetStore,
  [tail, leave]: readonly [Tail, () => void],
): ReadableStream<Uint8Array> {
  const { sessionId, signal } = wish
  let at = wish.after
  let isBehind = true
  let isOver = false
  let wakeUp: (why: Wake) => void = () => undefined

  function end(): void {
    if (isOver) return
    isOver = true
    leave()
    wakeUp("end")
  }
  signal.addEventListener("abort", end)
  if (signal.aborted) end()

  const woken = (): Promise<Wake> =>
    new Promise((resolve) => {
      wakeUp = resolve
      tail.wait(resolve)
    })

  async function next(): Promise<Uint8Array | undefined> {
    while (!isOver) {
      if (isBehind) {
        const events = await store.lines.events(sessionId, at, page)
        at = events.at(-1)?.seq ?? at
        isBehind = events.length === page
        if (events.length > 0) return Buffer.concat(events.map(writtenOut))
      }
      const piece = tail.after(at)
      if (piece === "records") isBehind = true
      else if (piece) {
        at = piece.at
        return piece.bytes
      } else if ((await woken()) === "silence") return (await wish.isWelcome()) ? stillHere : undefined
    }
    return undefined
  }

  return new ReadableStream({
    // So that the client knows at once that it is connected.
    start: (controller) => controller.enqueue(connected),
    // Called when there is room, so a client that does not read holds nothing up and fills nothing.
    async pull(controller) {
      const bytes = await next()
      if (bytes) return controller.enqueue(bytes)
      end()
      controller.close()
    },
    cancel: end,
  })
}

const connected = new TextEncoder().encode(": connected\n\n")
const stillHere = new TextEncoder().encode(": still here\n\n")
