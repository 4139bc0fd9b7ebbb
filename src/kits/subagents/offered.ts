/** Which of the tools there are an agent gets. */

import type { AnyTool } from "#agent/words/tool.ts"
import type { AgentDefinition } from "./definition.ts"

type Named = Pick<AnyTool, "name" | "aliases">

/** A person is reached through the main agent alone, and what it plans is planned there. */
const ofTheMainAgent: readonly string[] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]
const startingAgents: readonly string[] = ["Task", "TaskOutput", "TaskStop"]
/** What changes files by itself; an agent that only reads has none of it. */
const changing: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit", "KillShell"]

export function isOffered(definition: AgentDefinition, tool: Named): boolean {
  const { tools, disallowedTools = [], onlyReads } = definition
  if (ofTheMainAgent.includes(tool.name)) return false
  if (onlyReads && changing.includes(tool.name)) return false
  if (isDenied(disallowedTools, tool)) return false
  // Who may start agents may look after them, too.
  if (startingAgents.includes(tool.name)) return startsAgents(definition)
  return tools === undefined || tools.some((name) => names(name, tool))
}

/** For a session that plays an agent itself: it stands before a person, so nothing is kept from it but what it names. */
export function isPlayed({ tools, disallowedTools = [] }: AgentDefinition, tool: Named): boolean {
  if (isDenied(disallowedTools, tool)) return false
  return tools === undefined || tools.some((name) => names(name, tool))
}

/** Only those that say so: otherwise each could have its work done by another. */
export const startsAgents = ({ tools, disallowedTools = [] }: AgentDefinition): boolean =>
  (tools ?? []).some((name) => names(name, taskName)) && !isDenied(disallowedTools, taskName)

const taskName: Named = { name: "Task", aliases: ["Agent"] }

/** A name in small letters allows nothing, but it denies: what was meant is plain. */
const isDenied = (written: readonly string[], { name, aliases = [] }: Named): boolean =>
  written.some((one) => names(one.toLowerCase(), lowerCase([name, ...aliases])))

const lowerCase = ([name = "", ...aliases]: readonly string[]): Named => ({
  name: name.toLowerCase(),
  aliases: aliases.map((alias) => alias.toLowerCase()),
})

/** By its name, by another name of it, or by the beginning of it: `mcp__server__*`, or `mcp__server` for all of a server. */
function names(written: string, { name, aliases = [] }: Named): boolean {
  return [name, ...aliases].some(
    (own) =>
      written === own ||
      (written.endsWith("*") && own.startsWith(written.slice(0, -1))) ||
      (written.startsWith("mcp__") && own.startsWith(`${written}__`)),
  )
}
