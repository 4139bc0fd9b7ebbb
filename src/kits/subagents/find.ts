/** Every agent there is: built in, of files, of the command line. Of one name the later wins. */

import { builtinAgents } from "./builtins.ts"
import { type AgentFile, type Decoded, decodeFile } from "./decode.ts"
import type { AgentDefinition } from "./definition.ts"

export function findAgents(
  files: readonly AgentFile[],
  more: readonly AgentDefinition[] = [],
  /** Whether a definition counts as it is now. */
  counts: (definition: AgentDefinition) => boolean = () => true,
): Omit<Decoded, "rejected"> {
  const found = new Map(builtinAgents().map((definition) => [definition.agentType, definition]))
  const problems: string[] = []
  for (const read of files.map(decodeFile)) {
    problems.push(...read.problems)
    // It was to take the place of another one, which may do more than this one was to.
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
