/** The connections to a server. A connection can be dead without a word, so all are made again when the server has been silent for too long. */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"

/** After a failed attempt to listen again. */
const pauseMs = 1_000

export interface Connections {
  /** `heard` says that the server has answered, where the work is more than one statement. */
  readonly use: <T>(work: (client: SQL, heard: () => void) => Promise<T>) => Promise<T>
  /** `undefined`: it was made again, and something may have been missed. */
  readonly listen: (channel: string, told: (what: string | undefined) => void) => Promise<() => Promise<void>>
  readonly close: (seconds: number) => Promise<void>
}

interface Generation {
  readonly client: SQL
  readonly lost: Deferred<never>
}

export function openConnections(connect: () => SQL, clock: Clock, silentMs: number): Connections {
  const listeners = new Set<() => void>()
  let now = begin()

  function begin(): Generation {
    const lost = deferred<never>()
    lost.promise.catch(() => undefined)
    return { client: connect(), lost }
  }

  function renew(dead: Generation): void {
    if (dead !== now) return
    now = begin()
    dead.lost.reject(new DatabaseLost(`The database has not answered for ${silentMs / 1000} seconds.`))
    void dead.client.close({ timeout: 0 }).catch(() => undefined)
    for (const listenAgain of listeners) listenAgain()
  }

  async function use<T>(work: (client: SQL, heard: () => void) => Promise<T>): Promise<T> {
    const mine = now
    let stop = (): void => undefined
    const heard = (): void => {
      stop()
      stop = clock.after(silentMs, () => renew(mine))
    }
    heard()
    try {
      return await Promise.race([work(mine.client, heard), mine.lost.promise])
    } finally {
      stop()
    }
  }

  return {
    use,
    async listen(channel, told) {
      const ended = new AbortController()
      let isFirst = true
      let unlisten = async (): Promise<void> => undefined
      async function start(client: SQL): Promise<void> {
        const listening = await client.listen(channel, told, () => {
          if (!isFirst) told(undefined)
          isFirst = false
        })
        unlisten = () => listening.unlisten().catch(() => undefined)
        if (ended.signal.aborted) await unlisten()
      }
      async function again(): Promise<void> {
        while (!ended.signal.aborted)
          try {
            return await use(start)
          } catch {
            await clock.sleep(pauseMs, ended.signal)
          }
      }
      await use(start)
      const listenAgain = (): void => void again()
      listeners.add(listenAgain)
      return async () => {
        ended.abort()
        listeners.delete(listenAgain)
        await unlisten()
      }
    },
    close: (seconds) => now.client.close({ timeout: seconds }).catch(() => undefined),
  }
}
