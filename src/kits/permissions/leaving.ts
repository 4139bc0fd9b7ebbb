/** Which commands run outside the sandbox although it is on: those that ask to, and those that are excluded. */

import type { JsonObject } from "#lib/json.ts"
import type { JudgedCall } from "./call.ts"
import { type CommandPattern, meets, parseCommandPattern } from "./command-pattern.ts"

/** What a call of Bash sets to run outside. */
const leaveField = "dangerouslyDisableSandbox"

/** Models send booleans as strings now and then. */
const asksToLeave = (input: JsonObject): boolean => input[leaveField] === true || input[leaveField] === "true"

/** How a call comes to run outside; undefined when the sandbox is off, or confines it. */
export function leaving(call: JudgedCall): "asks" | "excluded" | undefined {
  const { walls, commands, input } = call
  if (walls.workspace === "off" || commands.length === 0) return undefined
  if (asksToLeave(input)) return "asks"
  return isExcluded(call) ? "excluded" : undefined
}

/** Whether the sandbox confines all that a call does, and commands in it run unasked. */
export function isHeldUnasked(call: JudgedCall): boolean {
  const { walls, footprint } = call
  if (walls.workspace !== "auto" || footprint.runs.length === 0 || leaving(call) !== undefined) return false
  return footprint.writes.length === 0 && footprint.reaches.length === 0 && footprint.effect !== "unknown"
}

/** Whether every part of a command is excluded: what else is in the line would run outside with it. */
function isExcluded({ walls: { excluded }, commands }: JudgedCall): boolean {
  if (excluded.length === 0) return false
  return commands.every(
    ({ analysis }) =>
      analysis.understood &&
      analysis.segments.length > 0 &&
      analysis.segments.every((segment) => excluded.some((pattern) => meets(pattern, segment))),
  )
}

/** Commands as settings exclude them; one word means whatever follows it. What names no command excludes none. */
export const excludedPatterns = (texts: readonly string[]): readonly CommandPattern[] =>
  texts.flatMap((text) => {
    const pattern = parseCommandPattern(text)
    return pattern.ok ? [{ ...pattern.value, open: pattern.value.open || pattern.value.words.length === 1 }] : []
  })
