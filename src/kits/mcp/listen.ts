/** Reads a server's lists again when they change, once for many announcements. */

import type { McpOffer } from "#ground/mcp/connection.ts"
import type { Clock } from "#lib/clock.ts"

export interface Listener {
  readonly changed: (what: "tools" | "prompts" | "resources") => void
}

/** Servers announce several changes in a row; one that never stops is handled less and less often. */
const pauseMs = 50
const longestPauseMs = 10_000
/** After this much silence, the next change is handled at once again. */
const quietMs = 20_000

export function openListener({
  clock,
  signal,
  refresh,
}: {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly refresh: (what: keyof McpOffer, signal: AbortSignal) => Promise<void>
}): Listener {
  const waiting = new Set<keyof McpOffer>()
  let isBusy = false
  let pause = pauseMs
  let heardAt = Number.NEGATIVE_INFINITY

  async function work(): Promise<void> {
    isBusy = true
    while (waiting.size > 0 && !signal.aborted) {
      pause = clock.now() - heardAt > quietMs ? pauseMs : Math.min(pause * 2, longestPauseMs)
      await clock.sleep(pause, signal)
      heardAt = clock.now()
      const now = [...waiting]
      waiting.clear()
      for (const what of now) await refresh(what, signal)
    }
    isBusy = false
  }

  return {
    changed(what) {
      waiting.add(what)
      if (what === "resources") for (const other of ["templates", "skills"] as const) waiting.add(other)
      if (!isBusy) void work()
    },
  }
}
