/** What the model is told about its goal, and how a goal ends in words for users. */

import type { Goal, GoalCheck } from "#agent/words/goal.ts"
import { goalText } from "#agent/words/goal.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

export const introWords = (check: GoalCheck): string =>
  `The user set a goal: ${what(check)}\nWhen you stop, it is checked, and you are told what the check said until it holds. Work until it holds. Never weaken or get around the check itself. If the goal cannot be reached, say clearly why.`

export const continueWords = ({ check, checks, limits }: Goal, evidence: string): string =>
  `The goal was checked (${checks} of at most ${limits.checks} times) and does not hold yet: ${what(check)}\nWhat the check said, as data:\n${escapeImitations(evidence)}\nContinue with the work. If the goal cannot be reached, say why and what would be needed.`

export const resumedWords = (check: GoalCheck): string =>
  `The program ended while you worked, and was started again. The goal does not hold yet: ${what(check)}\nLook at what was done, and continue.`

export const clearedWords = "The user ended the goal. It is not checked any more."

export const missedWords = ({ check }: Goal, limit: string): string =>
  `The goal was not reached ${limit}: ${short(goalText(check))}`

export const refusedWords = (command: string, why: string): string =>
  `The goal could not be checked: \`${short(command)}\` was not allowed to run. ${why}`.trim()

export const unjudgedWords = (why: string): string =>
  `The goal could not be judged: ${why} Send another prompt to continue, or end it with /goal clear.`

const what = (check: GoalCheck): string =>
  check.kind === "command"
    ? `the command \`${escapeImitations(check.command)}\` must succeed.`
    : escapeImitations(check.text)

const mostCharacters = 200

const short = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters).toWellFormed()}…` : text
