/** All agents: built in, from files, from the command line. A later one overrides one of the same name. */

import { failed, ok, type Result } from "#lib/result.ts"
import { builtinAgents } from "./builtins.ts"
import { type AgentFile, type Decoded, decodeFile } from "./decode.ts"
import type { AgentDefinition } from "./definition.ts"

/** Why an agent is left out, and whether its name then means no other agent either. */
export interface LeftOut {
  readonly why: string
  readonly isRejected: boolean
}

export function findAgents(
  files: readonly AgentFile[],
  more: readonly AgentDefinition[] = [],
  admit: (definition: AgentDefinition) => Result<AgentDefinition, LeftOut> = ok,
): Omit<Decoded, "rejected"> {
  const found = new Map(builtinAgents().map((definition) => [definition.agentType, definition]))
  const problems: string[] = []
  for (const read of files.map(decodeFile)) {
    problems.push(...read.problems)
    // It was meant to replace another agent, which may be allowed more.
    for (const name of read.rejected) found.delete(name)
    for (const definition of read.definitions) {
      const { agentType, path = agentType } = definition
      const admitted = admit(definition)
      if (admitted.ok) found.set(agentType, admitted.value)
      else {
        if (admitted.failure.isRejected) found.delete(agentType)
        problems.push(`${path}: this agent is left out: ${admitted.failure.why}`)
      }
    }
  }
  for (const definition of more) found.set(definition.agentType, definition)
  return { definitions: [...found.values()], problems }
}

export const notTrusted: Result<never, LeftOut> = failed({
  why: "what it uses or runs is new or changed since you trusted this folder. To look at it, start codewright here in a terminal; to trust it: codewright trust",
  isRejected: false,
})
