/** Delegates to agents: one for each part of the task, all at once; then reports their answers. */

import { aboutMe, act, type DemoCall, finish, missing, type Move, outcomeOf } from "./move.ts"
import type { Story } from "./story.ts"

const mostAgents = 3

/** Undefined when the task asks for no agents. */
export function wantedDelegation(task: string): readonly string[] | undefined {
  const [, asked] =
    /^\s*(?:please\s+)?(?:let|have|ask|use|send)\s+(?:an?|two|three|some)?\s*(?:sub-?)?agents?\s+(?:to\s+)?(.+)/is.exec(
      task,
    ) ?? []
  const parts = asked
    ?.split(/\s+and(?:\s+another\s+(?:one\s+)?to)?\s+|;\s*/i)
    .map((part) => part.trim().replace(/[.!?]+$/, ""))
    .filter((part) => part !== "")
  return parts?.length ? parts.slice(0, mostAgents) : undefined
}

export function delegate(story: Story, parts: readonly string[]): Move {
  if (!story.offers("Task")) return missing("Task", "start agents")
  const calls = parts.map((part): DemoCall => ({
    tool: "Task",
    input: { description: part.slice(0, 60), prompt: part, subagent_type: "Explore", run_in_background: false },
  }))
  const open = calls.filter((call) => outcomeOf(story, call) === undefined)
  if (open.length > 0) return act(parts.length === 1 ? "An agent will do it." : "Agents will do it, at once.", ...open)
  const answers = calls.map((call, i) => {
    const { result = "" } = outcomeOf(story, call) ?? {}
    return `**${parts[i]}**\n\n${withoutMe(result)}`
  })
  return finish(answers.join("\n\n"))
}

/** Every agent is the same simulator, which need not repeat that. */
const withoutMe = (text: string): string =>
  text
    .replace(aboutMe, "")
    .replace(/\n*\[[^\n]*agent[^\n]*\]\s*$/, "")
    .trim()
