/** The moment at which the user has been waited for for a while after a turn. */

import { byKind, type OnEntry } from "#agent/words/follower.ts"
import type { Clock } from "#lib/clock.ts"
import type { HookMoment } from "./moments.ts"

export interface Idle {
  readonly onEntry: OnEntry
  readonly close: () => void
}

const idleMs = 60_000

export function openIdle({
  clock,
  isWanted,
  raise,
}: {
  readonly clock: Clock
  readonly isWanted: () => boolean
  readonly raise: (moment: HookMoment) => void
}): Idle {
  let cancel = (): void => {}
  const stop = (): void => cancel()
  return {
    // Somebody is there.
    onEntry: byKind({
      turn_start: stop,
      prompt: stop,
      queued: stop,
      mode: stop,
      model: stop,
      turn_end() {
        cancel()
        if (isWanted()) cancel = clock.after(idleMs, () => raise(moment))
      },
    }),
    close: stop,
  }
}

const moment: HookMoment = {
  event: "Notification",
  subjects: ["idle_prompt"],
  fields: {
    message: "Codewright is waiting for your input.",
    title: "Codewright",
    notification_type: "idle_prompt",
  },
}
