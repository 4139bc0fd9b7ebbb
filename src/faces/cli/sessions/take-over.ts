/** `--take-over`: ends the process that has a session open, so that it can be opened here. */

import { askToStop } from "#ground/transcript/take-over.ts"
import { systemClock } from "#lib/clock.ts"
import { never } from "#lib/never.ts"
import { ok, type Result } from "#lib/result.ts"
import { type StartFailure, wrong } from "#faces/cli/failure.ts"
import { isBackground } from "./is-background.ts"

export async function takeOver(
  logPath: string,
  { id, state }: { readonly id: string; readonly state: string },
): Promise<Result<void, StartFailure>> {
  if (isBackground(state, id)) {
    const { takeOutOfBackground } = await import("#faces/cli/background/take-out-of-background.ts")
    const left = await takeOutOfBackground(id, logPath, state)
    if (!left.ok) return wrong(left.failure)
  }
  // Nothing is open yet, so whoever interrupts us now ends us.
  const { signal } = new AbortController()
  const asked = await askToStop(`${logPath}.lock`, { pid: process.pid, clock: systemClock, signal })
  if (asked.ok) return ok(undefined)
  switch (asked.failure.kind) {
    case "still_running":
      return wrong(
        `Process ${asked.failure.pid} was asked to stop and still has the session open. Close it there, or use --fork-session to continue in a copy.`,
      )
    case "not_ours":
      return wrong(
        `Process ${asked.failure.pid} has the session open and belongs to someone else. Use --fork-session to continue in a copy.`,
      )
    case "interrupted":
      return wrong("The wait for the other process was interrupted.")
    default:
      return never(asked.failure)
  }
}
