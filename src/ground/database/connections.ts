/** The connections to a server. A connection can be dead without a word, so all are made again when the server has been silent for too long. */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"

/** After a failed attempt to listen again. */
const pauseMs = 1_000

export interface Connections {
  /** `heard` says that the server has answered, where the work is more than one statement. */
  readonly use: <T>(work: (client: SQL, answered: () => void) => Promise<T>) => Promise<T>
  /** `undefined`: it was made again, and something may have been missed. */
  readonly listen: (channel: string, told: (what: string | undefined) => void) => Promise<() => Promise<void>>
  readonly close: (seconds: number) => Promise<void>
}

interface Generation {
  readonly client: SQL
  readonly lost: Deferred<never>
}

/** `connect` is told what to do when one of its connections was closed. */
export function openConnections(connect: (onclose: () => void) => SQL, clock: Clock, silentMs: number): Connections {
  const listeners = new Set<() => void>()
  let isClosed = false
  let now = begin()

  function begin(): Generation {
    const lost = deferred<never>()
    lost.promise.catch(() => undefined)
    const client = connect(() => {
      // The client would listen again by itself, and print a line of its own for each attempt.
      if (client === now.client && !isClosed) listenAnew()
    })
    return { client, lost }
  }

  function listenAnew(): void {
    for (const listenAgain of listeners) listenAgain()
  }

  function renew(dead: Generation): void {
    if (dead !== now) return
    now = begin()
    dead.lost.reject(new DatabaseLost(`The database has not answered for ${silentMs / 1000} seconds.`))
    void dead.client.close({ timeout: 0 }).catch(() => undefined)
    listenAnew()
  }

  async function use<T>(work: (client: SQL, answered: () => void) => Promise<T>): Promise<T> {
    const mine = now
    let stop = (): void => undefined
    const answered = (): void => {
      stop()
      stop = clock.after(silentMs, () => renew(mine))
    }
    answered()
    try {
      return await Promise.race([work(mine.client, answered), mine.lost.promise])
    } finally {
      stop()
    }
  }

  return {
    use,
    async listen(channel, told) {
      const ended = new AbortController()
      let unlisten = async (): Promise<void> => undefined
      let again: Promise<void> | undefined
      let isStale = false
      async function start(client: SQL): Promise<void> {
        const listening = await client.listen(channel, told)
        unlisten = () => listening.unlisten().catch(() => undefined)
        if (ended.signal.aborted) await unlisten()
      }
      async function listenAgain(): Promise<void> {
        while (isStale && !ended.signal.aborted) {
          isStale = false
          void unlisten()
          try {
            await use(start)
            told(undefined)
          } catch {
            isStale = true
            await clock.sleep(pauseMs, ended.signal)
          }
        }
        again = undefined
      }
      await use(start)
      const onLost = (): void => {
        isStale = true
        again ??= listenAgain()
      }
      listeners.add(onLost)
      return async () => {
        ended.abort()
        listeners.delete(onLost)
        await unlisten()
      }
    },
    close(seconds) {
      isClosed = true
      return now.client.close({ timeout: seconds }).catch(() => undefined)
    },
  }
}
