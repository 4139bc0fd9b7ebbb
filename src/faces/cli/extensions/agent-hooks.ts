/** The hooks in an agent's file. One that cannot be read might be a guard, so it leaves the agent out. */

import { readHooks } from "#kits/hooks/config.ts"
import { factsOf, type HookEvent, hookEvents } from "#kits/hooks/moments.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { ruleProblem } from "#session/adapters/hook-ground.ts"

/** What has no effect, as messages. The failure says why the agent cannot be used. */
export function checkHooks({ hooks = {}, agentType, path }: AgentDefinition): Result<readonly string[], string> {
  const where = path ?? `--agents ${agentType}`
  const notes: string[] = []
  for (const [event, groups] of Object.entries(hooks)) {
    const known = hookEvents.find((one) => one === event)
    const [problem] = problemsOf(event, groups)
    if (problem !== undefined && (known ? factsOf(known).fires === undefined : isSlip(event)))
      return failed(`${problem.replace(/ It is left out\.$/, "")} Fix it, or remove it.`)
    if (problem !== undefined) notes.push(`${where}: ${problem}`)
    else if (known && ofSessions.includes(known))
      notes.push(`${where}: hooks.${event} runs only in a session that plays this agent.`)
  }
  return ok(notes)
}

/** Agents that are started by another one never come to these. */
const ofSessions: readonly HookEvent[] = [
  "Setup",
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Notification",
]

const isSlip = (event: string): boolean => nearNames(event, hookEvents, 1).length > 0

const file = "agent"

const problemsOf = (event: string, groups: JsonValue): readonly string[] =>
  readHooks([{ source: file, file, isProject: false, hooks: { [event]: groups } }], { ruleProblem }).problems.map(
    (problem) => problem.slice(`${file}: `.length),
  )
