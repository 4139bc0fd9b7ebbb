/** The status of a background command, in one sentence. */

import { never } from "#lib/never.ts"
import type { BackgroundCommand } from "./background.ts"

export function sayStatus({ id, status, startedAt, end }: BackgroundCommand, now: number): string {
  const after = seconds((end?.at ?? now) - startedAt)
  switch (status) {
    case "running":
      return `${id} is running, for ${after} so far.`
    case "completed":
      return `${id} completed with exit code 0 after ${after}.`
    case "killed":
      return `${id} was killed after ${after}.`
    case "failed": {
      const killer = end?.signal ? ` (ended by ${end.signal})` : ""
      return `${id} failed with exit code ${end?.exitCode ?? 1}${killer} after ${after}.`
    }
    default:
      return never(status)
  }
}

function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const whole = Math.round(ms / 1000)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}
