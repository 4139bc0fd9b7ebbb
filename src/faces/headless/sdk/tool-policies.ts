/** What a client allows of a server's tools, as permission rules. */

import { plainServerName } from "#agent/words/named-servers.ts"
import type { Behavior } from "#agent/words/permission.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

export interface PolicyRule {
  readonly behavior: Behavior
  readonly text: string
}

const behaviors: { readonly [policy: string]: Behavior } = {
  always_allow: "allow",
  always_ask: "ask",
  always_deny: "deny",
}

/** `servers`: settings by name, each with its `tools`. A server inside the client can only be limited by it. */
export function policyRules(servers: JsonObject): readonly PolicyRule[] {
  return Object.entries(servers).flatMap(([server, settings]) => {
    const tools = isObject(settings) && Array.isArray(settings.tools) ? settings.tools : []
    return tools.flatMap((tool: JsonValue) => {
      const behavior = isObject(tool) ? behaviors[String(tool.permission_policy)] : undefined
      if (!isObject(tool) || typeof tool.name !== "string" || behavior === undefined) return []
      return [{ behavior, text: `mcp__${plainServerName(server)}__${tool.name.replace(/[^A-Za-z0-9_-]/g, "_")}` }]
    })
  })
}

export const limiting = ({ behavior }: PolicyRule): boolean => behavior !== "allow"
