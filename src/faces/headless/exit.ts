/** How a run's end becomes an exit code. Scripts rely on 0 and 1; the detailed codes are asked for. */

import type { OpenTask } from "./open-tasks.ts"
import type { Tally } from "./tally.ts"

export type ExitStyle = "plain" | "detailed"

export const usageError = { plain: 1, detailed: 2 } as const
export const noModelError = { plain: 1, detailed: 5 } as const
export const interrupted = 130
export const hungUp = 129
export const terminated = 143
/** As of a program that the system ends because nobody reads what it writes. */
export const readerGone = 141

const unavailable: ReadonlySet<string> = new Set([
  "unreachable",
  "overloaded",
  "rate_limited",
  "no_credit",
  "server",
  "broken",
  "unauthorized",
  "no_provider",
])

/** Work of a team was left undone: told apart in either style, because no script knows of it yet. */
const tasksOpen = 4

export function exitCode(tally: Tally, style: ExitStyle, openTasks: readonly OpenTask[] = []): number {
  const { end, unanswered } = tally
  if (!end) return 1
  if (end.reason === "completed" && openTasks.length > 0) return tasksOpen
  if (end.reason === "aborted") return interrupted
  if (style === "plain") return end.reason === "completed" ? 0 : 1
  if (end.reason === "completed") return unanswered > 0 || tally.deferred ? 3 : 0
  if (end.reason === "max_turns" || end.reason === "max_budget" || end.cause === "goal") return 4
  return end.cause !== undefined && unavailable.has(end.cause) ? 5 : 1
}
