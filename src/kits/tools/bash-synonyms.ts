/** Lets a tool take the fields that its other names have. */

import type { Tool } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"

/** The same tool, which now takes each synonym for the field it stands for, where that field itself is not given. */
export function knownAs<Input>(synonyms: { readonly [synonym: string]: string }, tool: Tool<Input>): Tool<Input> {
  const { parse } = tool
  // A copy would make the schema at once, which is to be made when it is first asked for.
  return Object.assign(tool, { parse: (input: JsonObject) => parse(renamed(input, synonyms)) })
}

function renamed(input: JsonObject, synonyms: { readonly [synonym: string]: string }): JsonObject {
  const fields = Object.entries(input).map(([name, value]) => {
    const meant = synonyms[name]
    return [meant === undefined || meant in input ? name : meant, value] as const
  })
  return Object.fromEntries(fields)
}
