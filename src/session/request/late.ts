/** Tools that come and go, from any kit, without those that a rule hides. See decision 28. */

import type { Guidance, Kit } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { callTool, callToolName, unwrapCalls } from "#kits/mcp/call-tool.ts"
import { type LateTools, openLateTools } from "#kits/mcp/late.ts"
import { toolSearchTool } from "#kits/mcp/tool-search.ts"
import { hiddenTools } from "#kits/permissions/hidden-tools.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import { optional } from "#lib/optional.ts"
import { later } from "#lib/later.ts"

export interface Late {
  readonly tools: LateTools
  readonly guidance: () => readonly Guidance[]
  /** Calls unlisted tools, for models that cannot load tools later; undefined if a rule hides it. */
  readonly bridge: AnyTool | undefined
  /** Comes before all other kits. */
  readonly kit: Kit
  /** The same tools, for agents that this session starts. */
  readonly handed: Kit
}

export interface LateParts {
  readonly kits: readonly Kit[]
  readonly mayUse: (tool: AnyTool) => boolean
  readonly rules: readonly PermissionRule[]
  /** Whether the model's provider supports deferred tools. */
  readonly defers: () => boolean
  /** Whether all tools present at the start are listed in full, however many; no when absent. */
  readonly listsAll?: boolean
  readonly window: () => number
}

export function openLate({ kits, rules, mayUse, defers, listsAll, window }: LateParts): Late {
  const sources = kits.filter(({ late }) => late !== undefined)
  const visible = (): readonly AnyTool[] => {
    const all = sources.flatMap((kit) => kit.late?.() ?? []).filter(mayUse)
    const hidden = new Set(hiddenTools(rules, all))
    return hidden.size === 0 ? all : all.filter(({ name }) => !hidden.has(name))
  }
  const isAllowed = (tool: AnyTool): boolean => mayUse(tool) && hiddenTools(rules, [tool]).length === 0
  // Guidance about tools is only for those who have any.
  const guidance = (): readonly Guidance[] =>
    sources.some((kit) => kit.late?.().some(isAllowed)) ? sources.flatMap((kit) => kit.guidance?.() ?? []) : []
  // Search offers tools, and how tools are announced depends on whether they can be searched for.
  const lateTools = later<LateTools>("Late tools")
  const search = toolSearchTool({
    tools: visible,
    offer: (tool) => lateTools.get().offer(tool),
    callWith: () => (defers() ? undefined : callToolName),
  })
  const tools = openLateTools({
    tools: visible,
    guidance,
    window,
    defers,
    ...optional("listsAll", listsAll),
    canSearch: isAllowed(search),
  })
  lateTools.settle(tools)
  const bridge: AnyTool = callTool({ tools: tools.callable })
  return {
    tools,
    guidance,
    // Without search there is nothing to call through it.
    bridge: isAllowed(search) && hiddenTools(rules, [bridge]).length === 0 ? bridge : undefined,
    kit: { name: "late tools", tools: [search], middleware: unwrapCalls },
    handed: {
      name: "late tools of whoever started it",
      late: visible,
      guidance,
    },
  }
}
