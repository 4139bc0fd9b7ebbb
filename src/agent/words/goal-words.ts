/** A goal in words for users. */

import { type Goal, goalText } from "./goal.ts"

/** What has just happened to it; empty where the user did it and knows. */
export function goalNotice({ state, check, checks, limits, why }: Goal): string {
  const times = `${checks} ${checks === 1 ? "check" : "checks"}`
  switch (state) {
    case "open":
      return checks === 0 || why === undefined
        ? ""
        : `Goal not reached yet (check ${checks} of ${limits.checks}): ${why}`
    case "held":
      return `Goal reached after ${times}: ${short(goalText(check))}`
    case "missed":
      // The end of the turn says why.
      return ""
    case "cleared":
      return ""
  }
}

/** All of it, for whoever asks. */
export function goalReport(goal: Goal | undefined, now: number): string {
  if (goal === undefined || goal.state === "cleared")
    return "There is no goal. Set one with /goal $ npm test (a command that must succeed) or /goal <what must be the case>."
  const { check, state, checks, steps, limits, since, why } = goal
  const head = { open: "Goal, not reached yet", held: "Goal reached", missed: "Goal not reached" }[state]
  const rows = [`${head}: ${goalText(check)}`]
  if (why !== undefined) rows.push(`Last check: ${why}`)
  const minutes = Math.floor((now - since) / 60_000)
  rows.push(
    `${checks} of ${limits.checks} checks, ${steps} of ${limits.steps} steps${state === "open" ? `, ${minutes} of ${Math.round(limits.ms / 60_000)} minutes` : ""}${limits.usd === undefined ? "" : `, at most $${limits.usd}`}`,
  )
  if (state === "open") rows.push("/goal clear ends it.")
  return rows.join("\n")
}

/** For the status line. */
export const goalStatus = ({ checks, limits }: Goal, isWorking: boolean): string =>
  `goal ${checks}/${limits.checks}${isWorking ? "" : " paused"}`

const mostCharacters = 200

const short = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters).toWellFormed()}…` : text
