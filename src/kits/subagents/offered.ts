/** Which of the available tools an agent gets. */

import { plainServerName } from "#agent/words/named-servers.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { AgentDefinition } from "./definition.ts"

type Named = Pick<AnyTool, "name" | "aliases">

/** Only the main agent talks to the user and plans. */
const ofTheMainAgent: readonly string[] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]
const startingAgents: readonly string[] = ["Task", "TaskOutput", "TaskStop"]
/** Tools that change files; a read-only agent has none of them. */
const changing: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit", "KillShell"]

export function isOffered(definition: AgentDefinition, tool: Named): boolean {
  const { tools, disallowedTools = [], onlyReads } = definition
  if (ofTheMainAgent.includes(tool.name)) return false
  if (onlyReads && changing.includes(tool.name)) return false
  if (isDenied(disallowedTools, tool)) return false
  // Agents that may start others may manage them, too.
  if (startingAgents.includes(tool.name)) return startsAgents(definition)
  return tools === undefined || tools.some((name) => names(name, tool)) || isBrought(definition, tool)
}

/** For a session that acts as an agent: it talks to the user, so only its own lists limit it. */
export function isPlayed(definition: AgentDefinition, tool: Named): boolean {
  const { tools, disallowedTools = [] } = definition
  if (isDenied(disallowedTools, tool)) return false
  return tools === undefined || tools.some((name) => names(name, tool)) || isBrought(definition, tool)
}

/** A server that the definition names comes with all its tools, unless `tools` names some of them. */
const isBrought = ({ tools = [], mcpServers = [] }: AgentDefinition, { name }: Named): boolean =>
  mcpServers
    .map((server) => `mcp__${plainServerName(server)}__`)
    .some((prefix) => name.startsWith(prefix) && !tools.some((one) => one.startsWith(prefix)))

/** Only agents that say so: otherwise each could delegate its work to another. */
export const startsAgents = ({ tools, disallowedTools = [] }: AgentDefinition): boolean =>
  (tools ?? []).some((name) => names(name, taskName)) && !isDenied(disallowedTools, taskName)

const taskName: Named = { name: "Task", aliases: ["Agent"] }

/** A lower-case name allows nothing, but it denies: the intention is clear. */
const isDenied = (written: readonly string[], { name, aliases = [] }: Named): boolean =>
  written.some((one) => names(one.toLowerCase(), lowerCase([name, ...aliases])))

const lowerCase = ([name = "", ...aliases]: readonly string[]): Named => ({
  name: name.toLowerCase(),
  aliases: aliases.map((alias) => alias.toLowerCase()),
})

/** By its name, an alias, or a prefix: `mcp__server__*`, or `mcp__server` for a whole server. */
function names(written: string, { name, aliases = [] }: Named): boolean {
  return [name, ...aliases].some(
    (own) =>
      written === own ||
      (written.endsWith("*") && own.startsWith(written.slice(0, -1))) ||
      (written.startsWith("mcp__") && own.startsWith(`${written}__`)),
  )
}
