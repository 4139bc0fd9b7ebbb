/** All agents: built in, from files, from the command line. A later one overrides one of the same name. */

import { builtinAgents } from "./builtins.ts"
import { type AgentFile, type Decoded, decodeFile } from "./decode.ts"
import type { AgentDefinition } from "./definition.ts"

export function findAgents(
  files: readonly AgentFile[],
  more: readonly AgentDefinition[] = [],
  /** Whether the current definition counts. */
  counts: (definition: AgentDefinition) => boolean = () => true,
): Omit<Decoded, "rejected"> {
  const found = new Map(builtinAgents().map((definition) => [definition.agentType, definition]))
  const problems: string[] = []
  for (const read of files.map(decodeFile)) {
    problems.push(...read.problems)
    // It was meant to replace another agent, which may be allowed more.
    for (const name of read.rejected) found.delete(name)
    for (const definition of read.definitions)
      if (counts(definition)) found.set(definition.agentType, definition)
      else problems.push(notTrusted(definition))
  }
  for (const definition of more) found.set(definition.agentType, definition)
  return { definitions: [...found.values()], problems }
}

const notTrusted = ({ agentType, path }: AgentDefinition): string =>
  `${path ?? agentType}: this agent is left out: its tools are new or changed since you trusted this folder. To look at it, start codewright here in a terminal; to trust it: codewright trust`
