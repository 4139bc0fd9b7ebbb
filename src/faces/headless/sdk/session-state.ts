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
  let told: "idle" | "running" | "requires_action" = "idle"
  const tell = (state: typeof told): void => {
    if (state === told) return
    told = state
    if (isWanted)
      send({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true, ...envelope.stamp() })
  }
  return {
    works: () => tell("running"),
    rests: () => tell("idle"),
    isWorking: () => told !== "idle",
    waits(isWaiting) {
      if (isWaiting) tell("requires_action")
      else if (told === "requires_action") tell("running")
    },
  }
}
