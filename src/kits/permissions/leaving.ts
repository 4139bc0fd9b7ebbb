/** Which commands run outside the sandbox although it is on: those that ask to, and excluded ones. */

import type { JsonObject } from "#lib/json.ts"
import type { JudgedCall } from "./call.ts"
import { type CommandPattern, meets, parseCommandPattern } from "./rules/command-pattern.ts"

/** The Bash field that asks to run outside. */
const leaveField = "dangerouslyDisableSandbox"

/** Models sometimes send booleans as strings. */
const asksToLeave = (input: JsonObject): boolean => input[leaveField] === true || input[leaveField] === "true"

/** Why a call runs outside; undefined if the sandbox is off, or confines it. */
export function leaving(call: JudgedCall): "asks" | "excluded" | undefined {
  const { walls, commands, input } = call
  if (walls.workspace === "off" || commands.length === 0) return undefined
  if (asksToLeave(input)) return "asks"
  return isExcluded(call) ? "excluded" : undefined
}

/** Whether the sandbox confines everything a call does, and commands in it run without asking. */
export function isHeldUnasked(call: JudgedCall): boolean {
  const { walls, footprint } = call
  if (walls.workspace !== "auto" || footprint.runs.length === 0 || leaving(call) !== undefined) return false
  return footprint.writes.length === 0 && footprint.reaches.length === 0 && footprint.effect !== "unknown"
}

/** Whether every part of a command is excluded: anything else in the line would run outside with it. */
function isExcluded({ walls: { excluded }, commands }: JudgedCall): boolean {
  if (excluded.length === 0) return false
  return commands.every(
    ({ analysis }) =>
      analysis.understood &&
      analysis.segments.length > 0 &&
      analysis.segments.every((segment) => excluded.some((pattern) => meets(pattern, segment))),
  )
}

/** Commands excluded by settings; one word covers whatever follows it. What names no command excludes none. */
export const excludedPatterns = (texts: readonly string[]): readonly CommandPattern[] =>
  texts.flatMap((text) => {
    const pattern = parseCommandPattern(text)
    return pattern.ok ? [{ ...pattern.value, open: pattern.value.open || pattern.value.words.length === 1 }] : []
  })
