/** Clients of one connection each, lent to one user at a time. The runtime's own pool opens all of its connections at once and keeps them. */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"

/**
 * Shorter than the pause between two heartbeats of a worker, so that of many idle ones most have none: with the usual limit of a server (100), fifty
 * processes that keep two would leave nothing for others.
 */
const idleMs = 3_000
/** On a server with much room, one is kept for longer: to open one costs the server twenty times what a heartbeat does. */
const [roomyIdleMs, roomyShare] = [60_000, 0.5]
/** On a server that has few connections left, each is closed at once when nobody waits for it, and one has to do. */
const crowdedIdleMs = 50
/** Whoever uses the server much looks now and then how full it is. */
const [lookEveryMs, lookAfterUses] = [5_000, 5]
const crowdedShare = 0.6

export interface Pool {
  readonly acquire: () => Promise<SQL>
  readonly giveBack: (client: SQL) => void
  /** In place of giving it back: nobody is to use it again. */
  readonly discard: (client: SQL) => void
  /** One was refused. */
  readonly refused: () => void
  readonly close: (seconds: number) => Promise<void>
}

export function openPool({
  connect,
  clock,
  most,
  shareUsed,
}: {
  readonly connect: () => SQL
  readonly clock: Clock
  readonly most: number
  /** How many of the server's connections are in use, as a part of all; undefined if that does not count. */
  readonly shareUsed: (client: SQL) => Promise<number | undefined>
}): Pool {
  /** The one that was used last is lent first, so that the others become idle. */
  const free: { readonly client: SQL; readonly stop: () => void }[] = []
  const lent = new Set<SQL>()
  const waiting: Deferred<SQL>[] = []
  let isClosed = false
  let isCrowded = false
  /** Unknown is not roomy: a command that runs for a moment leaves nothing behind. */
  let isRoomy = false
  let uses = 0
  let lookedAt = Number.NEGATIVE_INFINITY

  function keep(client: SQL): void {
    const isOnly = free.length + lent.size === 0
    const one = {
      client,
      stop: clock.after(isCrowded ? crowdedIdleMs : isRoomy && isOnly ? roomyIdleMs : idleMs, () => {
        free.splice(free.indexOf(one), 1)
        end(client)
      }),
    }
    free.push(one)
  }

  /** Of several that wait, each is lent one that is there, or opened one that may be. */
  function giveBack(client: SQL): void {
    const next = isClosed ? undefined : waiting.shift()
    if (next) return next.resolve(client)
    lent.delete(client)
    if (isClosed || (isCrowded && free.length > 0)) end(client)
    else keep(client)
  }

  async function measureLoad(client: SQL): Promise<void> {
    lookedAt = clock.now()
    uses = 0
    const share = await shareUsed(client).catch(() => undefined)
    isCrowded = share !== undefined && share > crowdedShare
    isRoomy = share !== undefined && share < roomyShare
    giveBack(client)
  }

  return {
    async acquire() {
      const one = free.pop()
      one?.stop()
      if (!one && lent.size >= (isCrowded ? 1 : most)) {
        const turn = deferred<SQL>()
        waiting.push(turn)
        return turn.promise
      }
      const client = one?.client ?? connect()
      lent.add(client)
      return client
    },
    giveBack(client) {
      uses++
      const isDue = uses >= lookAfterUses && Math.abs(clock.now() - lookedAt) >= lookEveryMs
      if (isDue && !isClosed) void measureLoad(client)
      else giveBack(client)
    },
    discard(client) {
      lent.delete(client)
      end(client)
      const next = isClosed ? undefined : waiting.shift()
      if (!next) return
      const fresh = connect()
      lent.add(fresh)
      next.resolve(fresh)
    },
    refused() {
      isCrowded = true
      isRoomy = false
    },
    async close(seconds) {
      isClosed = true
      const all = [...free.splice(0).map(({ client, stop }) => (stop(), client)), ...lent]
      await Promise.all(all.map((client) => client.close({ timeout: seconds }).catch(() => undefined)))
    },
  }
}

const end = (client: SQL): void => void client.close({ timeout: 0 }).catch(() => undefined)
