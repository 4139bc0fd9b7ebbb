/** The MCP servers in a configuration file, in each of the common formats, and their names in tools. */

import { isObject, type JsonObject } from "#lib/json.ts"

/**
 * By name: under `mcpServers`, under `servers` as editors write it, or at the top level. Undefined for any other kind
 * of file.
 */
export function namedServers(file: JsonObject): JsonObject | undefined {
  const { mcpServers, servers, $schema: _schema, ...rest } = file
  if (mcpServers !== undefined) return isObject(mcpServers) ? mcpServers : undefined
  if (servers !== undefined) return isObject(servers) ? servers : undefined
  const all = Object.values(rest)
  const isBare =
    all.length > 0 &&
    all.every((one) => isObject(one) && (typeof one.command === "string" || typeof one.url === "string"))
  return isBare ? rest : undefined
}

/** A server's name within the names of its tools. Two underscores end it, so it has no double underscore itself. */
export const plainServerName = (server: string): string =>
  server
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "") || "server"
