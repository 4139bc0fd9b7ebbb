/** The MCP servers of a session, as the rest of it sees them. */

import type { McpRoom, ServersChange } from "#kits/mcp/ports.ts"
import type { JsonObject } from "#lib/json.ts"

export interface SessionServers extends McpRoom {
  /** Replaces the servers of the client, each as in a configuration file; `sdk` servers run inside the client. */
  readonly set: (servers: JsonObject) => Promise<ServersChange>
  /** Takes what a server inside the client says by itself; false if there is no such server. */
  readonly receive: (server: string, message: JsonObject) => boolean
  /** Whether a call runs at a server that goes on without us. */
  readonly hasTasks: () => boolean
}
