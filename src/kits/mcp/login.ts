/** Logging in to a server from inside a session: the user opens an address, and the server is reached again afterwards. */

import { failed, ok, type Result } from "#lib/result.ts"
import type { McpPorts } from "./ports.ts"
import type { Servers } from "./servers.ts"

export async function login(
  servers: Pick<Servers, "find" | "restart">,
  name: string,
  ports: Pick<McpPorts, "login" | "warn">,
): Promise<Result<void, string>> {
  const found = servers.find(name)
  if (!found) return failed(`There is no MCP server ${name}.`)
  const { server, live } = found
  const { config } = server
  if (!config.ok || !("url" in config.value)) return failed(`${name} is no server at a URL; only those have a login.`)
  if (!ports.login) return failed(`Log in with: codewright mcp login ${name}`)
  const shown = Promise.withResolvers<Result<void, string>>()
  const show = (url: string): void => {
    live.showReason(`Open this URL in a browser and approve access: ${url}`)
    shown.resolve(ok(undefined))
  }
  const begin = ports.login
  async function agreed(): Promise<Result<void, string>> {
    const done = await begin(server, show, new AbortController().signal)
    if (!done.ok) {
      live.showReason(done.failure)
      return done
    }
    const reached = await servers.restart(name)
    if (!reached.ok) ports.warn(`You are logged in to ${name}, but it cannot be reached. ${reached.failure}`)
    return ok(undefined)
  }
  // A login that is only refreshed shows nothing.
  return Promise.race([shown.promise, agreed()])
}
