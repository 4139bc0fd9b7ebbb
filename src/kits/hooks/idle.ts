/** The moment at which the user has been waited for for a while after a turn. */

import type { Entry } from "#agent/words/entry.ts"
import type { Clock } from "#lib/clock.ts"
import type { HookMoment } from "./moments.ts"

export interface Idle {
  readonly take: (entry: Entry) => void
  readonly close: () => void
}

const idleMs = 60_000

export function openIdle(clock: Clock, raise: (moment: HookMoment) => void): Idle {
  let cancel = (): void => {}
  return {
    take({ kind }) {
      if (!around.includes(kind)) return
      cancel()
      if (kind === "turn_end") cancel = clock.after(idleMs, () => raise(moment))
    },
    close: () => cancel(),
  }
}

/** Entries that say that somebody is there, or that there is nothing more to do. */
const around: readonly Entry["kind"][] = ["turn_start", "prompt", "queued", "turn_end", "mode", "model"]

const moment: HookMoment = {
  event: "Notification",
  subjects: ["idle_prompt"],
  fields: {
    message: "Codewright is waiting for your input.",
    title: "Codewright",
    notification_type: "idle_prompt",
  },
}
