/** The servers of a session: which are connecting, which are held back, and how each is started and stopped. */

import type { McpHost } from "#ground/mcp/connection.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { elicit } from "./elicit.ts"
import { openGate } from "./gate.ts"
import type { McpPorts, McpServerState } from "./ports.ts"
import { type LiveServer, openServer } from "./server.ts"
import { heldWords } from "./standing.ts"

export interface Servers {
  readonly live: ReadonlyMap<string, LiveServer>
  readonly states: () => readonly McpServerState[]
  readonly held: () => readonly McpServer[]
  /** Not asked about again in this session. */
  readonly drop: (name: string) => void
  readonly startAll: () => void
  readonly start: (name: string) => Promise<void>
  readonly restart: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
  /** Resolves when none is connecting any more, when the time is up, or when the signal aborts. */
  readonly settle: (patienceMs: number, signal: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

export type ServersPorts = Pick<
  McpPorts,
  "servers" | "connect" | "roots" | "clock" | "ask" | "canAsk" | "limits" | "warn"
> & { readonly onChange: () => void }

/** Programs are expensive to start; remote servers are not. */
const mostPrograms = 3
const mostAddresses = 20
const mostQuestions = 3

export function openServers(ports: ServersPorts): Servers {
  const { clock, servers, warn } = ports
  const live = openAll(ports)
  const held = new Map(servers.filter((server) => server.held !== undefined).map((server) => [server.name, server]))
  const pending = new Set<Promise<void>>()

  function start(name: string): Promise<void> {
    const started = live.get(name)?.start() ?? Promise.resolve()
    pending.add(started)
    void started.finally(() => pending.delete(started))
    return started
  }

  return {
    live,
    states: () => [...live.values()].map((server) => server.state()),
    held: () => [...held.values()],
    drop: (name) => void held.delete(name),
    startAll() {
      for (const { name, held: why, config } of servers) {
        if (!config.ok) warn(`The MCP server ${name} is left out. ${config.failure}`)
        else if (why === undefined) void start(name)
      }
    },
    start,
    async restart(name) {
      // Enabling a server approves it, but does not trust the whole folder.
      if (held.get(name)?.held === "untrusted") return failed(heldWords("untrusted") ?? "")
      await live.get(name)?.stop("closed")
      held.delete(name)
      await start(name)
      return outcomeOf(live, name)
    },
    async disable(name) {
      const server = live.get(name)
      if (!server) return failed(`There is no MCP server ${name}.`)
      await server.stop("disabled")
      return ok(undefined)
    },
    async settle(patienceMs, signal) {
      if (pending.size === 0) return
      const over = new AbortController()
      const given = AbortSignal.any([signal, over.signal])
      await Promise.race([Promise.all(pending), clock.sleep(patienceMs, given)])
      over.abort()
    },
    async close() {
      await Promise.all([...live.values()].map((server) => server.stop("closed")))
    },
  }
}

function openAll({ servers, limits, ...ports }: ServersPorts): ReadonlyMap<string, LiveServer> {
  const programs = openGate(mostPrograms)
  const addresses = openGate(mostAddresses)
  return new Map(
    servers.map((server) => {
      const opened: LiveServer = openServer(server, {
        ...ports,
        startMs: limits.startMs,
        elicit: elicitFor(server.name, () => opened.onlyCall(), ports),
        turn: (kind, signal) => (kind === "stdio" ? programs : addresses).enter(signal),
      })
      return [server.name, opened]
    }),
  )
}

/** The user answers one at a time; a server that keeps asking gets no answer to the rest. */
function elicitFor(
  server: string,
  onlyCall: () => string | undefined,
  ports: Pick<McpPorts, "ask" | "canAsk" | "warn">,
): McpHost["elicit"] {
  let asking = 0
  return async (ask, signal) => {
    if (asking >= mostQuestions) return { action: "cancel" }
    asking++
    return elicit({ server, callId: onlyCall() }, ask, ports, signal).finally(() => asking--)
  }
}

function outcomeOf(live: ReadonlyMap<string, LiveServer>, name: string): Result<void, string> {
  const state = live.get(name)?.state()
  if (!state) return failed(`There is no MCP server ${name}.`)
  return state.status === "connected" ? ok(undefined) : failed(state.reason ?? `${name} is ${state.status}.`)
}
