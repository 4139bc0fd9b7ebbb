/** Every agent there is: built in, of files, of the command line. Of one name the later wins. */

import { builtinAgents } from "./builtins.ts"
import { type AgentFile, type Decoded, decodeFile } from "./decode.ts"
import type { AgentDefinition } from "./definition.ts"

export function findAgents(
  files: readonly AgentFile[],
  more: readonly AgentDefinition[] = [],
): Omit<Decoded, "rejected"> {
  const found = new Map(builtinAgents().map((definition) => [definition.agentType, definition]))
  const problems: string[] = []
  for (const read of files.map(decodeFile)) {
    problems.push(...read.problems)
    // It was to take the place of another one, which may do more than this one was to.
    for (const name of read.rejected) found.delete(name)
    for (const definition of read.definitions) found.set(definition.agentType, definition)
  }
  for (const definition of more) found.set(definition.agentType, definition)
  return { definitions: [...found.values()], problems }
}
