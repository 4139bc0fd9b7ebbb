/** What a project's agent would use and run, as lines shown to the user before they trust it. */

import { relative } from "node:path"
import {
  isEntry,
  type KeepLine,
  lineOf,
  type LinePlace,
  type ProjectLine,
  serverLines,
  keptLines,
} from "#ground/settings/project-lines.ts"
import { optional } from "#lib/optional.ts"
import { isObject } from "#lib/json.ts"
import type { AgentDefinition, AgentServer } from "./definition.ts"

export interface AgentLinePlace extends Pick<LinePlace, "isSecret"> {
  /** The folder that is trusted. */
  readonly root: string
}

/** Its tools and notes, each of its hooks and own servers, and each secret that would leave with one of them. */
export function agentLines(definition: AgentDefinition, place: AgentLinePlace): readonly ProjectLine[] {
  const lines: ProjectLine[] = []
  keptAgent(definition, place, (line) => lines.push(line) > 0)
  return lines
}

/** Undefined if a line of it is not trusted: without one of its hooks it could do more. Secrets are only withheld. */
export function trustedAgent(
  definition: AgentDefinition,
  place: AgentLinePlace,
  trusts: KeepLine,
): AgentDefinition | undefined {
  const isTrusted = agentLines(definition, place).filter(isEntry).every(trusts)
  return isTrusted ? keptAgent(definition, place, trusts) : undefined
}

function keptAgent(definition: AgentDefinition, place: AgentLinePlace, keep: KeepLine): AgentDefinition {
  const { agentType, path, hooks: written, ownServers, ...rest } = definition
  const { isSecret } = place
  const file = path === undefined ? agentType : relative(place.root, path)
  const tools = toolsLine(definition, file)
  if (tools) keep(tools)
  const hooks = written && keptLines({ file, path: "hooks", isSecret }, written, keep)
  const servers = ownServers?.map(({ name, value }): AgentServer => {
    const { line, secrets } = serverLines({ file, isSecret }, name, value)
    keep(line)
    return { name, value, withheld: secrets.flatMap((secret) => (keep(secret.line) ? [] : [secret.name])) }
  })
  return {
    ...rest,
    agentType,
    ...optional("path", path),
    ...optional("hooks", isObject(hooks) ? hooks : undefined),
    ...optional("ownServers", servers),
  }
}

/** Undefined if it names no tools and keeps no notes. */
function toolsLine(definition: AgentDefinition, file: string): ProjectLine | undefined {
  const { agentType, tools, limits, memory, mcpServers = [], ownServers = [] } = definition
  if (tools === undefined && memory === undefined) return undefined
  const whole = tools?.filter((tool) => !limits?.some((rule) => rule.startsWith(`${tool}(`)))
  const named = mcpServers.filter((name) => !ownServers.some((server) => server.name === name))
  const servers = tools === undefined ? [] : named.map((name) => `MCP server ${name}`)
  const used = [...(whole ?? ["all tools"]), ...(limits ?? []), ...servers]
  const detail = used.length === 0 ? "uses no tools" : `uses ${used.join(", ")}`
  const notes = memory === undefined ? [] : [`writes its notes (memory: ${memory}) without a question`]
  return lineOf({ file, what: `agent ${agentType}`, detail, more: notes, value: [...used, ...notes] })
}
