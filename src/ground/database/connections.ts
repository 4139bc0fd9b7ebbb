/**
 * The connections to a server: one that listens, and as many others as statements need at the same moment, closed again soon after. A connection can
 * be dead without a word, so all are made again when the server has been silent for too long.
 */

import type { SQL } from "bun"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"
import { isCrowded, isOutdated } from "./attempts.ts"
import { openPool, type Pool } from "./pool.ts"

/** After a failed attempt to listen again. */
const pauseMs = 1_000

export interface Connections {
  /** `answered` says that the server has answered, where the work is more than one statement. */
  readonly use: <T>(work: (client: SQL, answered: () => void) => Promise<T>) => Promise<T>
  /** `undefined`: it was made again, and something may have been missed. */
  readonly listen: (channel: string, onNotification: (what: string | undefined) => void) => Promise<() => Promise<void>>
  readonly close: (seconds: number) => Promise<void>
}

export interface ConnectionParts {
  /** A client with one connection, made when it is first used. */
  readonly connect: () => SQL
  /** The same for the one that listens, which says when its connection was closed. */
  readonly connectListener: (onclose: () => void) => SQL
  readonly clock: Clock
  readonly silentMs: number
  /** So many statements at a time; more wait. */
  readonly most: number
  readonly shareUsed: (client: SQL) => Promise<number | undefined>
}

interface Generation {
  readonly pool: Pool
  readonly listener: SQL
  readonly lost: Deferred<never>
}

export function openConnections(parts: ConnectionParts): Connections {
  const { connectListener, clock, silentMs } = parts
  const listeners = new Set<() => void>()
  let isClosed = false
  let now = begin()

  function begin(): Generation {
    const lost = deferred<never>()
    lost.promise.catch(() => undefined)
    const listener = connectListener(() => {
      // The client would listen again by itself, and print a line of its own for each attempt.
      if (listener === now.listener && !isClosed) listenAnew()
    })
    return { pool: openPool(parts), listener, lost }
  }

  function listenAnew(): void {
    for (const listenAgain of listeners) listenAgain()
  }

  function renew(dead: Generation): void {
    if (dead !== now) return
    now = begin()
    dead.lost.reject(new DatabaseLost(`The database has not answered for ${silentMs / 1000} seconds.`))
    void dead.pool.close(0)
    void dead.listener.close({ timeout: 0 }).catch(() => undefined)
    listenAnew()
  }

  /** Waiting for a connection of ours is no silence of the server. */
  async function within<T>(mine: Generation, work: (answered: () => void) => Promise<T>): Promise<T> {
    let stop = (): void => undefined
    const answered = (): void => {
      stop()
      stop = clock.after(silentMs, () => renew(mine))
    }
    answered()
    try {
      return await Promise.race([work(answered), mine.lost.promise])
    } finally {
      stop()
    }
  }

  return {
    async use(work) {
      const mine = now
      const client = await Promise.race([mine.pool.acquire(), mine.lost.promise])
      let isUsable = true
      try {
        return await within(mine, (answered) => work(client, answered))
      } catch (error) {
        if (isCrowded(error)) mine.pool.refused()
        isUsable = !isOutdated(error)
        throw error
      } finally {
        if (isUsable) mine.pool.giveBack(client)
        else mine.pool.discard(client)
      }
    },
    async listen(channel, onNotification) {
      const ended = new AbortController()
      let unlisten = async (): Promise<void> => undefined
      let again: Promise<void> | undefined
      let isStale = false
      async function start(): Promise<void> {
        const mine = now
        await within(mine, async () => {
          const listening = await mine.listener.listen(channel, onNotification)
          unlisten = () => listening.unlisten().catch(() => undefined)
          if (ended.signal.aborted) await unlisten()
        })
      }
      async function listenAgain(): Promise<void> {
        while (isStale && !ended.signal.aborted) {
          isStale = false
          void unlisten()
          try {
            await start()
            onNotification(undefined)
          } catch {
            isStale = true
            await clock.sleep(pauseMs, ended.signal)
          }
        }
        again = undefined
      }
      await start()
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
    async close(seconds) {
      isClosed = true
      await Promise.all([now.pool.close(seconds), now.listener.close({ timeout: seconds }).catch(() => undefined)])
    },
  }
}
