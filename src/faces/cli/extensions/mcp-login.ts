/** `codewright mcp login` and `logout`: agreeing in a browser, and forgetting that. */

import { openLoginStore } from "#ground/mcp/login-store.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { loginFrom } from "#session/adapters/mcp-login.ts"
import type { Io } from "#faces/cli/io.ts"
import { allowsPrivateHost } from "./allows-private-host.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export async function login({ state, loaded, network }: StartupContext, server: McpServer, io: Io): Promise<number> {
  const stop = new AbortController()
  void io.untilStopped().then(() => stop.abort())
  const done = await loginFrom(
    server,
    {
      place: { stateFolder: state, network },
      clock: systemClock,
      ids: systemIds,
      allowsPrivate: allowsPrivateHost(loaded.rules),
      show: (to) => io.say(`Open this URL in a browser and approve access:\n${to}`),
      secret: loaded.env["MCP_CLIENT_SECRET"],
    },
    stop.signal,
  )
  if (!done.ok) return io.fail(done.failure)
  io.say(`Logged in to ${server.name}.`)
  return 0
}

export async function logout({ state }: StartupContext, server: McpServer, io: Io): Promise<number> {
  const url = addressOf(server)
  if (url === undefined)
    return io.fail(`${server.name} runs as a local program; only HTTP and SSE servers have a login.`)
  const known = openLoginStore(state).forget(url)
  io.say(known ? `Logged out of ${server.name}.` : `You were not logged in to ${server.name}.`)
  return 0
}

const addressOf = ({ config }: McpServer): string | undefined =>
  config.ok && "url" in config.value ? config.value.url : undefined
