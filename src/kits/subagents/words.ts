/** What the model is told about agents: results, states, and the ends of those it did not wait for. */

import type { ChildEnd, ChildFact, ChildUsage } from "#agent/words/child.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { Activity } from "./activity.ts"
import type { ChildRemains } from "./child.ts"

export const endName = "agent_end"
export const progressName = "agent_progress"

export function endOf({ end, text }: Activity, isStopped: boolean, isMember: boolean): ChildEnd {
  if (isStopped || end?.reason === "aborted") return "stopped"
  // What a member had to say, it has sent.
  return end?.reason === "completed" && (isMember || text.trim() !== "") ? "completed" : "failed"
}

/** For a call that waited. */
export function resultWords(
  fact: ChildFact & { readonly usage: ChildUsage },
  activity: Activity,
  remains: ChildRemains,
): string {
  const said = activity.text.trim()
  const trouble = troubleWords(fact, activity)
  const lines = [
    ...(trouble === undefined ? [] : [trouble]),
    ...(said === "" ? [] : trouble === undefined ? [said] : [`What it said last:\n${said}`]),
    [usageLine(fact), ...remainsLines(remains)].join("\n"),
  ]
  return lines.join("\n\n")
}

function troubleWords({ agentType, end }: ChildFact, activity: Activity): string | undefined {
  const { reason, message } = activity.end ?? {}
  if (end === "stopped") return `The ${agentType} agent was stopped before it was done.`
  if (end === "completed") return undefined
  switch (reason) {
    case "completed":
      return `The ${agentType} agent ended without an answer. Look at what it may have changed, or ask it again.`
    case "max_turns":
      return `The ${agentType} agent used up its steps before it was done. ${message ?? ""}`.trim()
    case "max_budget":
      return `The ${agentType} agent was ended because of the budget. ${message ?? ""}`.trim()
    case "blocked_by_hook":
      return `A hook ended the ${agentType} agent. ${message ?? ""}`.trim()
    default:
      return `The ${agentType} agent ended with an error. ${message ?? ""}`.trim()
  }
}

function usageLine({ agentType, agentId, path, usage }: ChildFact & { readonly usage: ChildUsage }): string {
  const more = path === undefined ? "" : ` Task with resume "${agentId}" continues it.`
  return `[${agentType} agent ${agentId}: ${usageWords(usage)}.${more}]`
}

export const usageWords = ({ toolUses, tokens, durationMs }: ChildUsage): string =>
  `${toolUses} tool ${toolUses === 1 ? "use" : "uses"}, ${tokens.toLocaleString("en")} tokens, ${Math.round(durationMs / 1000)} s`

function remainsLines({ commands, worktree, problems }: ChildRemains): readonly string[] {
  return [
    ...(worktree
      ? [`[Its changes are in the worktree ${worktree.path} on the branch ${worktree.branch}; nothing was merged.]`]
      : []),
    ...(commands.length > 0 ? [`[Background commands it left running were ended: ${commands.join("; ")}]`] : []),
    ...problems.map((problem) => `[${problem}]`),
  ]
}

/** For a call that does not wait. */
export const startedWords = ({ agentType, agentId }: ChildFact): string =>
  `The ${agentType} agent ${agentId} works in the background. You are told when it is done; TaskOutput waits for it or shows how far it is, TaskStop ends it. Continue with something else.`

export const movedWords = ({ agentType, agentId }: ChildFact): string =>
  `The user sent the ${agentType} agent ${agentId} to the background, where it continues. You are told when it is done; TaskOutput waits for it, TaskStop ends it.`

export function runningWords(
  { agentType, agentId, description }: ChildFact,
  usage: ChildUsage,
  doing?: string,
): string {
  return `The ${agentType} agent ${agentId} (${description}) is at work: ${usageWords(usage)} so far.${doing === undefined ? "" : ` Now: ${doing}`}`
}

/** For an agent in the background that got on. The description is the model's own words. */
export const progressWords = (fact: ChildFact, usage: ChildUsage, doing?: string): string =>
  escapeImitations(`${runningWords(fact, usage, doing)} You need not wait for it: you are told when it is done.`)

const endWords: { readonly [end in ChildEnd]: string } = {
  completed: "is done",
  failed: "ended without reaching its goal",
  stopped: "was stopped",
  lost: "was ended by the end of the program",
}

/** For the end of an agent that nobody waited for. */
export function announcement({ agentType, agentId, description, end = "lost", path }: ChildFact): string {
  const next =
    end === "lost"
      ? path === undefined
        ? "Start it again if it is still needed."
        : `Its work so far is kept: Task with resume "${agentId}" continues it.`
      : `TaskOutput with task_id ${agentId} gives its answer.`
  // The description is the model's own words, placed where only the program speaks.
  return escapeImitations(`The ${agentType} agent ${agentId} (${description}) ${endWords[end]}. ${next}`)
}
