/** What runs in the background and would end with the session. */

import type { ChildFact } from "#agent/words/child.ts"
import { firstLine } from "#lib/rows.ts"

export const backgroundWork = (
  commands: readonly { readonly command: string }[],
  agents: readonly { readonly fact: ChildFact }[],
): readonly string[] => [
  ...commands.map(({ command }) => firstLine(command)),
  ...agents.flatMap(({ fact: { state, agentType, member, description } }) =>
    state === "background"
      ? [member === undefined ? `${agentType}: ${description}` : `${member}, a member of the team: ${description}`]
      : [],
  ),
]
