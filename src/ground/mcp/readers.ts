/** The servers that the user has marked as read-only in their settings. */

import type { McpScope, McpServer } from "./server-config.ts"

/** Where users configure their own servers. Others could reuse the name of a marked one. */
const own: readonly McpScope[] = ["user", "local", "command line"]

export const canBeMarked = ({ source }: Pick<McpServer, "source">): boolean => own.includes(source)

export const markReaders = (servers: readonly McpServer[], marked: readonly string[]): readonly McpServer[] =>
  servers.map((server) =>
    canBeMarked(server) && marked.includes(server.name) ? { ...server, readOnly: true } : server,
  )
