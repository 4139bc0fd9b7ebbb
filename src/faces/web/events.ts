/** What happens in sessions, as streams that clients continue where they were cut off. */

import type { Clock } from "#lib/clock.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { StreamSlot } from "./stream-slots.ts"
import { openTail, pieceOf, type Tail, type Wake, writtenOut } from "./tail.ts"

/** Proxies and browsers drop a connection that stays silent. */
const silenceMs = 15_000
const page = 200

export interface Followers {
  readonly follow: (wish: Follow) => ReadableStream<Uint8Array>
}

interface Follow extends StreamSlot {
  readonly sessionId: string
  readonly after: number
  /** Asked now and then: a token may be revoked meanwhile. */
  readonly isWelcome: () => Promise<boolean>
}

export function openFollowers({ store, clock }: { readonly store: FleetStore; readonly clock: Clock }): Followers {
  const tails = new Map<string, { readonly tail: Tail; readonly unwatch: () => void; followers: number }>()
  let stop = (): void => undefined

  /** As long as anybody follows anything. */
  function start(): () => void {
    let stopBeat = (): void => undefined
    const beat = (): void => {
      stopBeat = clock.after(silenceMs, () => {
        for (const { tail } of tails.values()) {
          void tail.read()
          tail.wake("silence")
        }
        beat()
      })
    }
    beat()
    return () => stopBeat()
  }

  function open(sessionId: string): { readonly tail: Tail; readonly unwatch: () => void; followers: number } {
    const tail = openTail((after) => store.lines.events(sessionId, after, page))
    return { tail, unwatch: store.watch(sessionId, () => void tail.read()), followers: 0 }
  }

  /** The tail of a session, and how to let go of it. */
  function join({ sessionId }: Follow): readonly [Tail, () => void] {
    if (tails.size === 0) stop = start()
    const known = tails.get(sessionId) ?? open(sessionId)
    tails.set(sessionId, known)
    known.followers++
    const leave = (): void => {
      if (--known.followers > 0) return
      known.unwatch()
      tails.delete(sessionId)
      if (tails.size === 0) stop()
    }
    return [known.tail, leave]
  }

  return { follow: (wish) => streamOf(wish, store, join(wish)) }
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
    wish.leave()
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
      let isUpToDate = false
      if (isBehind) {
        const events = await store.lines.events(sessionId, at, page)
        const piece = pieceOf(events.map(writtenOut))
        at = piece?.at ?? at
        isUpToDate = piece === undefined
        isBehind = events.length === page || at !== (events.at(-1)?.seq ?? at)
        if (piece) return piece.bytes
      }
      const piece = tail.after(at)
      if (typeof piece === "object") {
        at = piece.at
        return piece.bytes
      }
      isBehind = piece === "records"
      // Whatever the tail says: where the records have nothing, nobody asks again before something has happened.
      if (isBehind && !isUpToDate) continue
      if ((await woken()) === "silence") return (await wish.isWelcome()) ? stillHere : undefined
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
