/** Logs in to an MCP server: for a session, and for the command. */

import { localOrigin } from "#ground/mcp/fetches.ts"
import { logIn } from "#ground/mcp/login.ts"
import { openLoginStore } from "#ground/mcp/login-store.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import type { AllowsPrivate } from "#ground/web/addresses.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { optional } from "#lib/optional.ts"
import { failed, type Result } from "#lib/result.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import { pinnedRequests } from "./mcp-ground.ts"

export interface LoginParts {
  readonly place: Pick<SessionPlace, "stateFolder" | "network">
  readonly clock: Clock
  readonly ids: Ids
  readonly allowsPrivate: AllowsPrivate
  readonly show: (url: string) => void
  /** Of a client that was registered by hand. */
  readonly secret?: string | undefined
}

export async function loginFrom(
  { name, source, config }: McpServer,
  { place, clock, ids, allowsPrivate, show, secret }: LoginParts,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  if (!config.ok || !("url" in config.value))
    return failed(`${name} runs as a local program; only HTTP and SSE servers have a login.`)
  const { url, oauth } = config.value
  const { network, stateFolder } = place
  // Whoever wrote a project's file may send us to a place of theirs, but not to one of ours.
  const pinned =
    source === "project" ? await pinnedRequests({ clock, allowsPrivate, network }, name, localOrigin(url)) : undefined
  const ports = { logins: openLoginStore(stateFolder), ids, clock, network, show, oauth, secret }
  return logIn(url, { ...ports, ...optional("pinned", pinned) }, signal)
}
