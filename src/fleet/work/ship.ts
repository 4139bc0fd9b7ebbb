/** Ships the lines of a session's log in order, and says when those so far have arrived. */

import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetLines, ShipFailure } from "#fleet/store/lines.ts"

/** Enough to make a backlog quick, and little enough that one statement stays small. */
const mostLines = 200
const mostCharacters = 1_000_000
const longestPauseMs = 5_000
/** Lines that nobody waits for travel together. */
const gatherMs = 100

export interface Shipper {
  readonly add: (line: string) => void
  /** Resolves when everything added so far has arrived, or when nothing will ever arrive again. While the database is away it waits. */
  readonly arrived: () => Promise<Result<void, ShipFailure>>
  /** Leaves the rest where it is; whoever waits is told so. */
  readonly close: () => void
}

export function openShipper(parts: {
  readonly lines: Pick<FleetLines, "ship">
  readonly lease: Lease
  /** How many lines have arrived already. */
  readonly already: number
  readonly clock: Clock
  /** Awaited before any line is sent. */
  readonly before?: () => Promise<void>
}): Shipper {
  const { lines, lease, clock } = parts
  const closing = new AbortController()
  const waiting: string[] = []
  let shipped = parts.already
  let stopped: Result<never, ShipFailure> | undefined
  let going: Promise<void> | undefined
  let stopGathering: (() => void) | undefined
  const barriers: { readonly at: number; readonly passed: Deferred<Result<void, ShipFailure>> }[] = []

  function passBarriers(): void {
    while (barriers[0] && (stopped || barriers[0].at <= shipped))
      barriers.shift()?.passed.resolve(stopped ?? ok(undefined))
  }

  /** A mistake of ours: whoever waits hears of it. */
  function rejectBarriers(error: unknown): void {
    for (const { passed } of barriers.splice(0)) passed.reject(error)
  }

  async function go(): Promise<void> {
    for (let pauseMs = 50; waiting.length > 0 && !stopped && !closing.signal.aborted;) {
      const batch = nextBatch(waiting)
      try {
        await parts.before?.()
        const result = await lines.ship(lease, shipped + 1, batch)
        if (!result.ok) stopped = result
        else {
          waiting.splice(0, batch.length)
          shipped += batch.length
          pauseMs = 50
        }
      } catch (error) {
        if (!(error instanceof DatabaseLost)) throw error
        // Perhaps they arrived and only the answer was lost: shipping them again is harmless.
        await clock.sleep(pauseMs, closing.signal)
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
      passBarriers()
    }
    going = undefined
  }

  function start(): void {
    stopGathering?.()
    stopGathering = undefined
    going ??= go().catch(rejectBarriers)
  }

  return {
    add(line) {
      waiting.push(line)
      if (waiting.length >= mostLines || barriers.length > 0) start()
      else if (!going) stopGathering ??= clock.after(gatherMs, start)
    },
    arrived() {
      const passed = deferred<Result<void, ShipFailure>>()
      barriers.push({ at: shipped + waiting.length, passed })
      passBarriers()
      if (waiting.length > 0) start()
      return passed.promise
    },
    close() {
      closing.abort()
      stopGathering?.()
      stopped ??= failed({ kind: "fenced" })
      passBarriers()
    },
  }
}

function nextBatch(waiting: readonly string[]): readonly string[] {
  let characters = 0
  const end = waiting.findIndex(
    (line, at) => at >= mostLines || (at > 0 && (characters += line.length) > mostCharacters),
  )
  return waiting.slice(0, end === -1 ? waiting.length : end)
}
