/** Names that a client redirects: a call of one tool goes to another, with that one's rules. */

import type { AnyTool } from "#agent/words/tool.ts"

/** From the name that the model writes to the tool that is meant. */
export interface ToolAliases {
  readonly [name: string]: string
}

/** What can be called, found by its names; what the model is shown stays as it is. */
export function redirected(tools: readonly AnyTool[], aliases: ToolAliases = {}): readonly AnyTool[] {
  const all = Object.entries(aliases)
  if (all.length === 0) return tools
  return tools
    .filter(({ name }) => !Object.hasOwn(aliases, name))
    .map((tool) => {
      const names = all.flatMap(([from, to]) => (to === tool.name ? [from] : []))
      return names.length === 0 ? tool : { ...tool, aliases: [...(tool.aliases ?? []), ...names] }
    })
}
