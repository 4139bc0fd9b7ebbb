/** Passes on what is only for those who watch right now. If the database is slow, there is less of it. */

import type { Moment } from "#agent/words/event.ts"
import type { Clock } from "#lib/clock.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetLines } from "#fleet/store.ts"

const pauseMs = 200
const most = 200

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
  readonly close: () => void
}

export function openMoments(lines: Pick<FleetLines, "pass">, lease: Lease, clock: Clock): Moments {
  let waiting: string[] = []
  let isBusy = false
  let isClosed = false

  async function send(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      if (!(await lines.pass(lease, batch)).ok) isClosed = true
    } catch {
      // They are gone, as they would be a moment later.
    }
    isBusy = false
    if (waiting.length > 0) plan()
  }

  function plan(): void {
    if (isBusy || isClosed) return
    isBusy = true
    clock.after(pauseMs, () => void send())
  }

  return {
    add(moment) {
      if (isClosed || !passing.has(moment.type)) return
      if (waiting.length < most) waiting.push(JSON.stringify(moment))
      plan()
    },
    close: () => void (isClosed = true),
  }
}
