/** A stream that says when something changed in what its owner may see, so that lists need not be asked for again and again. */

import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { changingKinds, type FleetChange, type FleetStore } from "#fleet/store.ts"
import type { StreamSlot } from "./stream-slots.ts"

/** Proxies and browsers drop a connection that stays silent. */
const silenceMs = 15_000
/** Changes come in bursts, and one word is enough for all of them; whoever hears it asks for lists again. */
const [gatherMs, apartMs] = [50, 1_000]

export interface Changes {
  readonly follow: (wish: FollowChanges) => ReadableStream<Uint8Array>
  readonly close: () => void
}

interface FollowChanges extends StreamSlot {
  /** Whose sessions it is about; undefined for everybody's. */
  readonly of: string | undefined
  /** The last id that the client got; empty if none. */
  readonly last: string
  /** Asked now and then: a token may be revoked, or belong to another role, meanwhile. */
  readonly isWelcome: () => Promise<boolean>
}

interface ChangeStream {
  readonly onChange: (change: FleetChange | undefined) => void
}

/**
 * Ids count what this server has seen, so that a client which comes back is told at once if it missed something. An id of another server, or
 * of this one before a restart, says nothing about that: then everything may have changed.
 */
export function openChanges({
  store,
  clock,
  newId,
}: {
  readonly store: Pick<FleetStore, "watchChanges">
  readonly clock: Clock
  readonly newId: () => string
}): Changes {
  const server = newId()
  const streams = new Set<ChangeStream>()
  const counts = new Map<string | undefined, number>()
  // What everybody sees, and what may have been anything.
  let forAll = 0
  const stop = store.watchChanges((change) => {
    if (change?.of === undefined) forAll++
    else for (const scope of [undefined, change.of]) counts.set(scope, (counts.get(scope) ?? 0) + 1)
    for (const { onChange } of streams) onChange(change)
  })
  return {
    follow: (wish) => streamOf(wish, { clock, streams, id: () => `${server}.${forAll}.${counts.get(wish.of) ?? 0}` }),
    close: stop,
  }
}

function streamOf(
  wish: FollowChanges,
  { clock, streams, id }: { readonly clock: Clock; readonly streams: Set<ChangeStream>; readonly id: () => string },
): ReadableStream<Uint8Array> {
  const ending = new AbortController()
  let [toldAt, welcomedAt] = [0, clock.now()]
  let news = deferred<void>()
  let waiting = new Set<FleetChange["what"]>(wish.last === id() ? [] : changingKinds)
  const stream: ChangeStream = {
    onChange(change) {
      // Nothing of others may even be heard to happen.
      if (change?.of !== undefined && wish.of !== undefined && wish.of !== change.of) return
      for (const what of change ? [change.what] : changingKinds) waiting.add(what)
      news.resolve()
    },
  }
  streams.add(stream)

  function end(): void {
    streams.delete(stream)
    wish.leave()
    ending.abort()
    news.resolve()
  }
  wish.signal.addEventListener("abort", end)
  if (wish.signal.aborted) end()

  async function next(): Promise<string | undefined> {
    if (waiting.size === 0) {
      news = deferred()
      const cancel = clock.after(silenceMs, news.resolve)
      await news.promise
      cancel()
    }
    if (ending.signal.aborted) return undefined
    if (waiting.size === 0) return (await wish.isWelcome()) ? ": still here\n\n" : undefined
    await clock.sleep(Math.max(gatherMs, toldAt + apartMs - clock.now()), ending.signal)
    if (ending.signal.aborted) return undefined
    // Where something always happens it is never silent.
    if (clock.now() - welcomedAt >= silenceMs) {
      welcomedAt = clock.now()
      if (!(await wish.isWelcome())) return undefined
    }
    toldAt = clock.now()
    const changed = [...waiting].toSorted()
    waiting = new Set()
    return `id: ${id()}\nevent: changed\ndata: ${JSON.stringify({ changed })}\n\n`
  }

  const encoder = new TextEncoder()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(": connected\n\n")),
    async pull(controller) {
      const text = await next()
      if (text !== undefined) return controller.enqueue(encoder.encode(text))
      end()
      controller.close()
    },
    cancel: end,
  })
}
