/** Commands that show something to choose from: the choice follows the name, or a face without panels asks for its number. */

import type { SlashAnswer } from "#session/opening/program.ts"
import { wrongNumber } from "./rows.ts"

/** They take numbers themselves, as in `/rewind 2`; a fork is left for at once. */
const takeNumbers = ["rewind", "branches", "resume", "fork"]
/** They take names; a number stands for the name beside it. */
const takeNames = ["model", "mode", "gates", "effort", "output-style", "mcp", "tasks", "config", "ide"]

export const isChoosing = (name: string): boolean => [...takeNumbers, ...takeNames].includes(name)

/** What follows a command's name, with the name that a number stands for; `listed` shows what the numbers count. */
export async function withNames(
  name: string,
  rest: string,
  listed: () => Promise<SlashAnswer | undefined>,
): Promise<string | SlashAnswer> {
  const [, before = "", number, after = ""] = /^(stop\s+)?(\d+)(\s+.*)?$/s.exec(rest) ?? []
  if (number === undefined || !takeNames.includes(name)) return rest
  const choices = (await listed())?.choices ?? []
  const chosen = choices[Number(number) - 1]
  return chosen === undefined ? wrongNumber("choice", number, choices.length) : before + chosen + after
}
