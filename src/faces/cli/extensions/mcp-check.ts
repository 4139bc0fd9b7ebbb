/** Tries servers without a session: each is reached, asked for its tools, and left again. */

import { tmpdir } from "node:os"
import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import { openMcp } from "#kits/mcp/room.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { counted } from "#lib/figures.ts"
import { ok } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { connectPorts } from "#session/adapters/mcp-ground.ts"
import { allowsPrivateHost } from "./allows-private-host.ts"
import { sandboxHere } from "#faces/cli/permissions/sandbox-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export async function checkServers(
  servers: readonly McpServer[],
  setting: StartupContext,
): Promise<readonly McpServerState[]> {
  const { cwd, state, environment, loaded, network } = setting
  if (servers.length === 0) return []
  await using here = loaded.settings.sandbox?.mcp ? sandboxHere(setting, { canAsk: false }) : undefined
  const processes = openProcesses({
    clock: systemClock,
    ids: systemIds,
    scratch: join(tmpdir(), `codewright-${systemIds.uuid()}`),
    graceMs: 1_000,
    drainMs: 500,
  })
  const ports = connectPorts({
    place: { cwd, stateFolder: state, version, network, childEnv: () => childEnvironment(loaded.env) },
    clock: systemClock,
    ids: systemIds,
    enclose: here?.encloseProgram,
    processes,
    allowsPrivate: allowsPrivateHost(loaded.rules),
  })
  const room = openMcp({
    servers,
    async connect(server, host, signal) {
      const { connectMcp } = await import("#ground/mcp/connect.ts")
      return connectMcp(server, host, await ports(), signal)
    },
    roots: () => [cwd],
    clock: systemClock,
    ask: async () => ({ kind: "unanswered", why: "nobody can be asked" }),
    calls: { continued: () => undefined, keep: async () => ok(undefined), done: () => {}, isLeaving: () => false },
    canAsk: false,
    canElicit: false,
    known: { get: () => undefined, set: () => {}, definition: () => undefined },
    skillDigests: { get: () => undefined, set: () => {} },
    // Whoever looks sees the same in the list.
    warn: () => {},
    limits: { startMs: environment.mcpTimeoutMs, callMs: environment.mcpToolTimeoutMs, outputTokens: 0 },
    patienceMs: 0,
  })
  room.start()
  await room.settle(environment.mcpTimeoutMs + graceMs, new AbortController().signal)
  const states = room.servers()
  await room.kit.close?.()
  await processes.close()
  return states
}

/** The room itself reports servers that time out; this only waits for that. */
const graceMs = 5_000

export function statusText({
  status,
  reason,
  tools,
  prompts,
  resources,
}: Pick<McpServerState, "status" | "reason" | "tools" | "prompts" | "resources">): string {
  switch (status) {
    case "connected":
      return `connected: ${counted(tools.length, "tool")}, ${counted(prompts.length, "prompt")}, ${counted(resources.length, "resource")}`
    case "connecting":
      return "still starting"
    case "failed":
      return `not available: ${reason ?? "unknown reason"}`
    case "needs_approval":
      return reason ?? "not started: needs your approval"
    case "needs_login":
      return reason ?? "needs login"
    case "disabled":
      return "not started: disabled"
  }
}
