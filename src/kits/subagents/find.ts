/** Every agent there is: built in, of files, of the command line. Of one name the later wins. */

import { builtinAgents } from "./builtins.ts"
import { type AgentFile, type Decoded, decodeFile } from "./decode.ts"
import type { AgentDefinition } from "./definition.ts"

export function findAgents(files: readonly AgentFile[], more: readonly AgentDefinition[] = []): Decoded {
  const read = files.map(decodeFile)
  const all = [...builtinAgents(), ...read.flatMap(({ definitions }) => definitions), ...more]
  return {
    definitions: [...new Map(all.map((definition) => [definition.agentType, definition])).values()],
    problems: read.flatMap(({ problems }) => problems),
  }
}
