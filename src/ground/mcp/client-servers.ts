/** Servers that a client brings along: by name, inside it, or configured like those of files. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import { expandServer, readServer, type Variables, wishesIn } from "./read-config.ts"
import type { McpServer, McpServerConfig } from "./server-config.ts"
import { nameProblem } from "./servers.ts"

/** `settings`: what the client says about it, such as how long a call may take. */
export const insideServer = (name: string, settings?: JsonValue): McpServer => ({
  name,
  source: "client",
  config: nameProblem(name) ?? ok({ kind: "sdk" }),
  ...wishesIn(settings),
})

export const readClientServers = (servers: JsonObject, variables: Variables): readonly McpServer[] =>
  Object.entries(servers).map(([name, value]) => ({
    name,
    source: "client",
    config: nameProblem(name) ?? configIn(value, variables),
    ...wishesIn(value),
  }))

function configIn(value: JsonValue, variables: Variables): Result<McpServerConfig, string> {
  if (isObject(value) && value.type === "sdk") return ok({ kind: "sdk" })
  const read = readServer(value)
  return read.ok ? expandServer(read.value, variables) : read
}
