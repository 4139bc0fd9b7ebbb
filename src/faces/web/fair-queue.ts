/**
 * Requests of one client wait for each other, so that nobody waits behind all that another one sends. The embedded database answers within the
 * same turn of the event loop: of a hundred requests that arrive together, all would be answered before anything else is even read.
 * See decision 87.
 */

/** Of one client, in one turn of the event loop. */
const atOnce = 4

export interface FairQueue {
  readonly enter: (client: string) => Promise<void>
}

export function openFairQueue(): FairQueue {
  const clients = new Map<string, { taken: number; readonly waiting: (() => void)[] }>()

  function next(): void {
    for (const [client, own] of clients) {
      const admitted = own.waiting.splice(0, atOnce)
      own.taken = admitted.length
      if (own.taken === 0) clients.delete(client)
      for (const admit of admitted) admit()
    }
    if (clients.size > 0) setImmediate(next)
  }

  return {
    async enter(client) {
      if (clients.size === 0) setImmediate(next)
      const own = clients.get(client) ?? { taken: 0, waiting: [] }
      clients.set(client, own)
      if (own.taken++ >= atOnce) await new Promise<void>((admit) => void own.waiting.push(admit))
    },
  }
}
