/** The servers of a session: which are connecting, which are held back, and how each is started and stopped. */

import type { McpHost } from "#ground/mcp/connection.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { elicit } from "./elicit.ts"
import { openGate } from "./gate.ts"
import type { McpPorts, McpServerState, ServersChange } from "./ports.ts"
import { type LiveServer, openServer } from "./server.ts"
import { notStartedReason } from "./server-state.ts"

export interface Servers {
  readonly live: ReadonlyMap<string, LiveServer>
  readonly states: () => readonly McpServerState[]
  readonly heldBack: () => readonly McpServer[]
  /** Not asked about again in this session. */
  readonly drop: (name: string) => void
  readonly startAll: () => void
  readonly start: (name: string) => Promise<void>
  readonly restart: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
  /** As configured, and its connection. */
  readonly find: (name: string) => { readonly server: McpServer; readonly live: LiveServer } | undefined
  /** Replaces the servers of the client. Resolves when those outside of it are connected or have failed. */
  readonly replace: (wanted: readonly McpServer[]) => Promise<ServersChange>
  /** Resolves when none is connecting any more, when the time is up, or when the signal aborts. */
  readonly settle: (patienceMs: number, signal: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

export type ServersPorts = Pick<
  McpPorts,
  "servers" | "connect" | "roots" | "clock" | "ask" | "canAsk" | "canElicit" | "elicited" | "limits" | "warn" | "calls"
> & { readonly onChange: () => void; readonly onUpdated: (server: string, uri: string) => void }

/** Programs are expensive to start; remote servers are not. */
const mostPrograms = 3
const mostAddresses = 20
const mostQuestions = 3

export function openServers(ports: ServersPorts): Servers {
  const { clock, servers, warn } = ports
  const open = openOne(ports)
  const live = new Map(servers.map((server) => [server.name, open(server)]))
  /** As given last, to see what changed. */
  let ofClient = new Map(servers.filter(isOfClient).map((server) => [server.name, server]))
  const heldBackByName = new Map(
    servers.filter((server) => server.held !== undefined).map((server) => [server.name, server]),
  )
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
    heldBack: () => [...heldBackByName.values()],
    drop: (name) => void heldBackByName.delete(name),
    startAll() {
      for (const server of servers) {
        const { name, held: why, config } = server
        if (!config.ok) warn(`The MCP server ${name} is left out. ${config.failure}`)
        else if (why === undefined) void start(name)
        else if (why === "local" && !ports.canAsk)
          warn(`The MCP server ${name} is not used. ${notStartedReason(server)}`)
      }
    },
    start,
    async restart(name) {
      // Enabling a server approves it, but does not trust the whole folder.
      const before = heldBackByName.get(name)
      if (before?.held === "untrusted") return failed(notStartedReason(before) ?? "")
      await live.get(name)?.stop("closed")
      heldBackByName.delete(name)
      await start(name)
      return outcomeOf(live, name)
    },
    find(name) {
      const [server, one] = [servers.find((other) => other.name === name) ?? ofClient.get(name), live.get(name)]
      return server && one && { server, live: one }
    },
    async disable(name) {
      const server = live.get(name)
      if (!server) return failed(`There is no MCP server ${name}.`)
      await server.stop("disabled")
      return ok(undefined)
    },
    async replace(wanted) {
      const isKept = ({ name, config }: McpServer): boolean =>
        Bun.deepEquals(ofClient.get(name)?.config, config, true) && live.has(name)
      const errors = new Map(wanted.filter(({ name }) => live.has(name) && !ofClient.has(name)).map(takenBy(live)))
      const next = wanted.filter(({ name }) => !errors.has(name))
      const removed = [...ofClient.values()].filter(({ name }) => !next.some((one) => one.name === name))
      const added = next.filter((server) => !isKept(server))
      ofClient = new Map(next.map((server) => [server.name, server]))
      await Promise.all([...removed, ...added].map(({ name }) => live.get(name)?.stop("closed")))
      for (const { name } of removed) live.delete(name)
      for (const server of added) live.set(server.name, open(server))
      ports.onChange()
      const started = added.map((server) => ({ server, connected: start(server.name) }))
      // The client may answer for its own servers only after it was answered itself.
      await Promise.all(started.map(({ server, connected }) => isInside(server) || connected))
      for (const { name } of added) {
        const state = live.get(name)?.state()
        if (state?.status === "failed") errors.set(name, state.reason ?? "It failed.")
      }
      return {
        added: added.map(({ name }) => name),
        removed: removed.map(({ name }) => name),
        errors: Object.fromEntries(errors),
      }
    },
    async settle(patienceMs, signal) {
      if (pending.size === 0) return
      const over = new AbortController()
      const settleSignal = AbortSignal.any([signal, over.signal])
      await Promise.race([Promise.all(pending), clock.sleep(patienceMs, settleSignal)])
      over.abort()
    },
    async close() {
      await Promise.all([...live.values()].map((server) => server.stop("closed")))
    },
  }
}

function openOne({ limits, ...ports }: ServersPorts): (server: McpServer) => LiveServer {
  const programs = openGate(mostPrograms)
  const addresses = openGate(mostAddresses)
  return (server) => {
    const opened: LiveServer = openServer(server, {
      ...ports,
      startMs: limits.startMs,
      elicit: elicitFor(server.name, () => opened.onlyCall(), ports),
      onElicited: (id) => ports.elicited?.(server.name, id),
      onUpdated: (uri) => ports.onUpdated(server.name, uri),
      turn: (kind, signal) => (kind === "stdio" ? programs : addresses).enter(signal),
    })
    return opened
  }
}

const isOfClient = ({ source }: McpServer): boolean => source === "client"
const isInside = ({ config }: McpServer): boolean => config.ok && config.value.kind === "sdk"

const takenBy =
  (live: ReadonlyMap<string, LiveServer>) =>
  ({ name }: McpServer): [string, string] => [
    name,
    `There is already a server with this name, from ${live.get(name)?.state().source}. Choose another name.`,
  ]

/** The user answers one at a time; a server that keeps asking gets no answer to the rest. */
function elicitFor(
  server: string,
  onlyCall: () => string | undefined,
  ports: Pick<McpPorts, "ask" | "canElicit" | "warn">,
): McpHost["elicit"] {
  let asking = 0
  return async (ask, signal) => {
    if (asking >= mostQuestions) return { action: "cancel" }
    asking++
    return elicit({ server, callId: ask.callId ?? onlyCall() }, ask, ports, signal).finally(() => asking--)
  }
}

function outcomeOf(live: ReadonlyMap<string, LiveServer>, name: string): Result<void, string> {
  const state = live.get(name)?.state()
  if (!state) return failed(`There is no MCP server ${name}.`)
  return state.status === "connected" ? ok(undefined) : failed(state.reason ?? `${name} is ${state.status}.`)
}
