/** The tools of a project's agent, as a line shown to the user before they trust it. */

import { relative } from "node:path"
import { lineOf, type ProjectLine } from "#ground/settings/project-lines.ts"
import type { AgentDefinition } from "./definition.ts"

/** Undefined if it names no tools and keeps no notes. `root`: the folder that is trusted. */
export function agentLine(definition: AgentDefinition, root: string): ProjectLine | undefined {
  const { agentType, tools, limits, memory, path } = definition
  if (tools === undefined && memory === undefined) return undefined
  const file = path === undefined ? agentType : relative(root, path)
  const whole = tools?.filter((tool) => !limits?.some((rule) => rule.startsWith(`${tool}(`)))
  const used = [...(whole ?? ["all tools"]), ...(limits ?? [])]
  const detail = used.length === 0 ? "uses no tools" : `uses ${used.join(", ")}`
  const notes = memory === undefined ? [] : [`writes its notes (memory: ${memory}) without a question`]
  return lineOf({ file, what: `agent ${agentType}`, detail, more: notes, value: [...used, ...notes] })
}
