/** Every late tool that a call may name: available ones, earlier ones, and those only the log knows. */

import type { ToolSpec } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { absentTool } from "./absent-tool.ts"
import { digestOf } from "./digest.ts"
import { plainSpec } from "./listing.ts"

interface Definition {
  readonly spec: ToolSpec
  readonly digest: string
}

export interface LateCatalog {
  /** The tools available now. Each call remembers them. */
  readonly tools: () => readonly AnyTool[]
  /** Computed once per tool. */
  readonly definitionOf: (tool: AnyTool) => Definition
  readonly find: (name: string) => AnyTool | undefined
  readonly specOf: (name: string) => ToolSpec | undefined
  readonly seen: () => readonly string[]
  readonly learn: (specs: readonly ToolSpec[]) => void
  readonly callable: () => readonly AnyTool[]
}

const mcpPrefix = "mcp__"

export function openCatalog(tools: () => readonly AnyTool[]): LateCatalog {
  const definitions = new WeakMap<AnyTool, Definition>()
  const seen = new Map<string, AnyTool>()
  /** Definitions from the log, for tools that may not be available yet. */
  const logged = new Map<string, ToolSpec>()

  function readTools(): readonly AnyTool[] {
    const present = tools()
    for (const tool of present) seen.set(tool.name, tool)
    return present
  }

  function definitionOf(tool: AnyTool): Definition {
    const known = definitions.get(tool)
    if (known) return known
    const { name, description, schema } = tool
    const spec = { name, description, input_schema: schema }
    const made = { spec, digest: digestOf(spec) }
    definitions.set(tool, made)
    return made
  }

  return {
    tools: readTools,
    definitionOf,
    find: (name) => seen.get(name),
    specOf(name) {
      const tool = seen.get(name)
      return tool ? definitionOf(tool).spec : logged.get(name)
    },
    seen: () => [...seen.keys()],
    learn(specs) {
      for (const spec of specs)
        if (spec.deferred || spec.name.startsWith(mcpPrefix)) logged.set(spec.name, plainSpec(spec))
    },
    callable() {
      const present = readTools()
      const names = new Set(present.map(({ name }) => name))
      const before = [...seen.values()].filter(({ name }) => !names.has(name))
      const absent = [...logged.values()].filter(({ name }) => !seen.has(name)).map(absentTool)
      return [...present, ...before, ...absent]
    },
  }
}
