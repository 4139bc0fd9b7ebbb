/** Reads lists again that their server does not stand by any more, each once at a time. */

import type { McpConnection, McpOffer } from "#ground/mcp/connection.ts"

const lists: readonly (keyof McpOffer)[] = ["tools", "prompts", "resources", "templates", "skills"]

export function openStaleLists(
  refresh: (what: keyof McpOffer, signal: AbortSignal) => Promise<void>,
): (live: McpConnection | undefined, signal: AbortSignal) => void {
  const refreshing = new Set<keyof McpOffer>()
  return (live, signal) => {
    for (const what of lists) {
      if (live?.isFresh(what) !== false || refreshing.has(what)) continue
      refreshing.add(what)
      void refresh(what, signal).finally(() => refreshing.delete(what))
    }
  }
}
