/** Error messages about a missing server: which, why, its last output, and what to do. */

import type { McpFailure } from "#ground/mcp/connection.ts"

const shownTail = 600

export function reasonWords(
  server: string,
  { message, stderrTail }: McpFailure & { readonly stderrTail?: string },
): string {
  const tail = stderrTail?.trim() ?? ""
  const said = tail === "" ? "" : `\nIt printed: ${tail.length > shownTail ? `…${tail.slice(-shownTail)}` : tail}`
  return `The MCP server ${server} is not available. ${message}${said}`
}

export const lostWords = (server: string, why: string): string =>
  `The MCP server ${server} was lost (${why.replace(/\.$/, "")}); it is being reached again.`
