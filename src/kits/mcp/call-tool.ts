/** Calls a tool that the request does not list, for models that cannot load tools later: their list never changes. */

import { touchesNothing } from "#agent/words/footprint.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import { type AnyTool, refused, type Tool } from "#agent/words/tool.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"

export const callToolName = "CallTool"

export interface InnerCall {
  readonly tool: AnyTool
  readonly input: JsonObject
  readonly parsed: unknown
}

export function callTool({ tools }: { readonly tools: () => readonly AnyTool[] }): Tool<InnerCall> {
  return {
    name: callToolName,
    description: `Calls a tool of an MCP server whose definition you loaded with ToolSearch. Give its name and its input as the definition says.`,
    schema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The tool, as ToolSearch named it" },
        input: { type: "object", description: "What the tool takes" },
      },
      required: ["name", "input"],
      additionalProperties: false,
    },
    parse({ name, input = {} }) {
      if (typeof name !== "string") return { ok: false, message: "name must be the name of a tool." }
      if (!isObject(input)) return { ok: false, message: "input must be an object." }
      const known = tools()
      const tool = known.find((other) => other.name === name)
      if (!tool) return { ok: false, message: unknownWords(name, known) }
      const parsed = tool.parse(input)
      return parsed.ok ? { ok: true, value: { tool, input, parsed: parsed.value } } : parsed
    },
    title: ({ tool, parsed }) => tool.title(parsed),
    footprint: ({ tool, parsed }) => (tool ? tool.footprint(parsed) : touchesNothing()),
    validate: async ({ tool, parsed }, signal) => tool.validate?.(parsed, signal),
    preview: async ({ tool, parsed }, signal) => tool.preview?.(parsed, signal),
    run: ({ tool, parsed }, context) => tool.run(parsed, context),
    maxResultChars: 100_000,
  }
}

/** The outermost layer: rules, hooks and questions are about the inner tool, never about the one that calls it. */
export const unwrapCalls: Middleware = (call, next) => {
  if (call.tool.name !== callToolName) return next(call)
  const inner = innerCall(call.parsed)
  if (!inner) return Promise.resolve(refused(`${callToolName} was not run: it names no tool.`))
  const { tool, input, parsed } = inner
  const outer = call.tool
  const run: AnyTool["run"] = (value, context) => outer.run({ tool, input, parsed: value }, context)
  return next({ ...call, tool: Object.create(tool, { run: { value: run } }), input, parsed })
}

const innerCall = (parsed: unknown): InnerCall | undefined =>
  typeof parsed === "object" && parsed !== null && "tool" in parsed ? (parsed as InnerCall) : undefined

function unknownWords(name: string, tools: readonly AnyTool[]): string {
  const near = nearNames(
    name,
    tools.map((tool) => tool.name),
  )
  return `There is no tool named ${name}. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Find it with ToolSearch first."}`
}
