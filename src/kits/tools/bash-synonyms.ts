/** Lets a tool accept alternative field names. */

import type { Tool } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"

/** The same tool, accepting each synonym where the field itself is not given. */
export function knownAs<Input>(synonyms: { readonly [synonym: string]: string }, tool: Tool<Input>): Tool<Input> {
  const { parse } = tool
  // A copy would build the schema at once, instead of on first use.
  return Object.assign(tool, { parse: (input: JsonObject) => parse(renamed(input, synonyms)) })
}

function renamed(input: JsonObject, synonyms: { readonly [synonym: string]: string }): JsonObject {
  const fields = Object.entries(input).map(([name, value]) => {
    const meant = synonyms[name]
    return [meant === undefined || meant in input ? name : meant, value] as const
  })
  return Object.fromEntries(fields)
}
