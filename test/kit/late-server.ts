/** A server whose tools come, change and go when the test says so; what it is asked is kept. */

import { touchesNothing } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import { answered, type AnyTool, refused } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"

export interface LateServer {
  readonly kit: Kit
  /** From now on it has these tools and no others: descriptions by name. */
  readonly offer: (tools: { readonly [name: string]: string }) => void
  /** It is gone, and its tools with it. */
  readonly drop: () => void
  /** Calls that reached it, in order. */
  readonly calls: readonly string[]
}

export interface LateServerOptions {
  readonly name?: string
  readonly guidance?: string
  /** Whether its tools change something that nobody else knows of. */
  readonly acts?: boolean
}

export function lateServer({ name: server = "box", guidance, acts = false }: LateServerOptions = {}): LateServer {
  let tools: readonly AnyTool[] = []
  const calls: string[] = []

  const tool = (name: string, description: string): AnyTool => ({
    name: `mcp__${server}__${name}`,
    description,
    schema: { type: "object", properties: { word: { type: "string", description } } },
    parse: (input) =>
      typeof input.word === "string" ? { ok: true, value: input } : { ok: false, message: "word must be a string." },
    title: () => `${server}: ${name}`,
    footprint: () => ({ ...touchesNothing(), effect: acts ? "unknown" : "reads" }),
    async run(input: JsonObject) {
      if (!tools.some((other) => other.name === `mcp__${server}__${name}`)) return refused(`${server} is gone.`)
      calls.push(`${name} ${String(input.word)}`)
      return answered(`${name} says ${String(input.word)}`)
    },
    maxResultChars: 10_000,
  })

  return {
    calls,
    offer(named) {
      const known = new Map(tools.map((made) => [`${made.name} ${made.description}`, made]))
      tools = Object.entries(named).map(
        ([name, about]) => known.get(`mcp__${server}__${name} ${about}`) ?? tool(name, about),
      )
    },
    drop() {
      tools = []
    },
    kit: {
      name: `server ${server}`,
      late: () => tools,
      ...(guidance !== undefined && {
        guidance: () => (tools.length === 0 ? [] : [{ from: server, text: guidance }]),
      }),
    },
  }
}
