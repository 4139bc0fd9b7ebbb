/** Plans a call before anything runs: the tool with its parsed input, or an answer that says why not. */

import type { JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import type { Footprint } from "./words/footprint.ts"
import type { ToolUseBlock } from "./words/message.ts"
import { type AnyTool, type Outcome, refused } from "./words/tool.ts"

export type Plan = Runnable | { readonly kind: "answer"; readonly outcome: Outcome }

export interface Runnable {
  readonly kind: "run"
  readonly tool: AnyTool
  /** In the form of today. */
  readonly input: JsonObject
  readonly parsed: unknown
  readonly footprint: Footprint
}

export const answer = (words: string): Plan => ({ kind: "answer", outcome: refused(words) })

export function planFor(use: ToolUseBlock, tools: readonly AnyTool[]): Plan {
  const tool = toolNamed(use.name, tools)
  if (!tool) return answer(unknownTool(use.name, tools))
  try {
    const input = tool.modernize?.(use.input) ?? use.input
    const parsed = tool.parse(input)
    if (!parsed.ok) return answer(`${tool.name} was not run: its input is not valid. ${parsed.message}`)
    return { kind: "run", tool, input, parsed: parsed.value, footprint: tool.footprint(parsed.value) }
  } catch (error) {
    return answer(`${tool.name} was not run: its input could not be read (${String(error)}).`)
  }
}

export function toolNamed(wanted: string, tools: readonly AnyTool[]): AnyTool | undefined {
  for (const tool of tools) if (tool.name === wanted) return tool
  return tools.find(({ aliases }) => aliases?.includes(wanted))
}

function unknownTool(name: string, tools: readonly AnyTool[]): string {
  const names = tools.map((tool) => tool.name)
  const near = nearNames(name, names)
  return `There is no tool named ${name}. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The tools are ${names.join(", ")}.`}`
}
