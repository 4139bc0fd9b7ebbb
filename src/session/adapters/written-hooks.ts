/** Hooks in the front matter of an agent, a command or a skill. One that cannot be read might be a guard. */

import { readHooks } from "#kits/hooks/config.ts"
import { hookEvents } from "#kits/hooks/moments.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { ruleProblem } from "./hook-ground.ts"

export interface HookProblem {
  readonly text: string
  /** Whether the file cannot be used: otherwise nothing comes of the hooks of an unknown event. */
  readonly isFatal: boolean
}

const file = "front matter"

/** The first thing that is wrong with the hooks of an event. */
export function hookProblem(event: string, groups: JsonValue): HookProblem | undefined {
  const source = { source: file, file, isProject: false, hooks: { [event]: groups } }
  const [problem] = readHooks([source], { ruleProblem }).problems
  if (problem === undefined) return undefined
  const isFatal = hookEvents.some((one) => one === event) || nearNames(event, hookEvents, 1).length > 0
  return { text: problem.slice(`${file}: `.length), isFatal }
}

/** Why the hooks of a command or skill cannot be followed. */
export function fatalProblem(hooks: JsonObject): string | undefined {
  const problems = Object.entries(hooks).flatMap(([event, groups]) => hookProblem(event, groups) ?? [])
  return problems.find(({ isFatal }) => isFatal)?.text.replace(/ It is left out\.$/, "")
}
