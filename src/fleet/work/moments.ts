/** Passes on what is only for those who watch right now: nothing while nobody does, and less of it if the database is slow. */

import type { Moment } from "#agent/words/event.ts"
import type { Clock } from "#lib/clock.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetLines } from "#fleet/store/lines.ts"

const pauseMs = 200
const most = 200
/** Of a text that is being written while nobody watches, so that whoever comes sees it from its beginning. */
const mostUnwatched = 500

/** What the records of the fleet say already is left out. */
const passing: ReadonlySet<Moment["type"]> = new Set([
  "request_start",
  "model_delta",
  "retry_wait",
  "tool_start",
  "tool_progress",
  "chore",
  "child",
  "queue_change",
  "background_end",
] satisfies Moment["type"][])

export interface Moments {
  readonly add: (moment: Moment) => void
  /** An entry says what was said in pieces before. */
  readonly entry: () => void
  /** Somebody watches from now on. */
  readonly watched: () => void
  readonly close: () => void
}

export function openMoments(lines: Pick<FleetLines, "pass" | "isWatched">, lease: Lease, clock: Clock): Moments {
  let waiting: string[] = []
  let isBusy = false
  let isClosed = false
  let isWatched = false

  async function send(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const passed = batch.length === 0 ? undefined : await lines.pass(lease, batch)
      if (passed?.ok === false) isClosed = true
      else if (passed?.value === false) {
        isWatched = false
        waiting = [...batch, ...waiting].slice(-mostUnwatched)
      }
    } catch {
      // They are gone, as they would be a moment later.
    }
    isBusy = false
    if (waiting.length > 0) plan()
  }

  function plan(): void {
    if (isBusy || isClosed || !isWatched) return
    isBusy = true
    clock.after(pauseMs, () => void send())
  }

  function watched(): void {
    isWatched = true
    if (waiting.length > 0) plan()
  }

  lines
    .isWatched(lease.sessionId)
    .then((is) => is && watched())
    // Whoever watches says so again.
    .catch(() => undefined)

  return {
    add(moment) {
      if (isClosed || !passing.has(moment.type)) return
      if (waiting.length < (isWatched ? most : mostUnwatched)) waiting.push(JSON.stringify(moment))
      plan()
    },
    entry() {
      if (!isWatched) waiting = []
    },
    watched,
    close: () => void (isClosed = true),
  }
}
