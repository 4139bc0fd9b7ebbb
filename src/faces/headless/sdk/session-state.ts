/** Whether the session works, rests, or waits for the client: told on each change to clients that ask for it. */

import type { Envelope } from "./envelope.ts"

export interface StateTelling {
  readonly works: () => void
  readonly rests: () => void
  readonly isWorking: () => boolean
  /** Whether something waits for the client while it works. */
  readonly waits: (isWaiting: boolean) => void
}

export function openStateTelling({
  send,
  envelope,
  isWanted,
}: {
  readonly send: (message: object) => void
  readonly envelope: Envelope
  readonly isWanted: boolean
}): StateTelling {
  let reported: "idle" | "running" | "requires_action" = "idle"
  const report = (state: typeof reported): void => {
    if (state === reported) return
    reported = state
    if (isWanted)
      send({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true, ...envelope.stamp() })
  }
  return {
    works: () => report("running"),
    rests: () => report("idle"),
    isWorking: () => reported !== "idle",
    waits(isWaiting) {
      if (isWaiting) report("requires_action")
      else if (reported === "requires_action") report("running")
    },
  }
}
