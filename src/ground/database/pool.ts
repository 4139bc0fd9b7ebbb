/** Clients of one connection each, lent to one user at a time. The runtime's own pool opens all of its connections at once and keeps them. */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"

/**
 * Shorter than the pause between two heartbeats of a worker, so that of many idle ones most have none: with the usual limit of a server (100), fifty
 * processes that keep two would leave nothing for others.
 */
const idleMs = 3_000

export interface Pool {
  readonly take: () => Promise<SQL>
  readonly giveBack: (client: SQL) => void
  readonly close: (seconds: number) => Promise<void>
}

export function openPool({
  connect,
  clock,
  most,
}: {
  readonly connect: () => SQL
  readonly clock: Clock
  readonly most: number
}): Pool {
  /** The one that was used last is lent first, so that the others become idle. */
  const free: { readonly client: SQL; readonly stop: () => void }[] = []
  const lent = new Set<SQL>()
  const waiting: Deferred<SQL>[] = []
  let isClosed = false

  function keep(client: SQL): void {
    const one = {
      client,
      stop: clock.after(idleMs, () => {
        free.splice(free.indexOf(one), 1)
        end(client, 0)
      }),
    }
    free.push(one)
  }

  return {
    async take() {
      const one = free.pop()
      one?.stop()
      if (!one && lent.size >= most) {
        const turn = deferred<SQL>()
        waiting.push(turn)
        return turn.promise
      }
      const client = one?.client ?? connect()
      lent.add(client)
      return client
    },
    giveBack(client) {
      const next = isClosed ? undefined : waiting.shift()
      if (next) return next.resolve(client)
      lent.delete(client)
      if (isClosed) end(client, 0)
      else keep(client)
    },
    async close(seconds) {
      isClosed = true
      const all = [...free.splice(0).map(({ client, stop }) => (stop(), client)), ...lent]
      await Promise.all(all.map((client) => client.close({ timeout: seconds }).catch(() => undefined)))
    },
  }
}

const end = (client: SQL, seconds: number): void => void client.close({ timeout: seconds }).catch(() => undefined)
