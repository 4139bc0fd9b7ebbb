/** All servers of a session: reached side by side in the background, their tools as tools of ours. */

import { textOf } from "#agent/words/message.ts"
import type { Guidance } from "#agent/words/kit.ts"
import type { McpServer } from "#ground/mcp/server-config.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { approveServers } from "./approve.ts"
import { resourceContentOf } from "./content.ts"
import { elicit } from "./elicit.ts"
import { openGate } from "./gate.ts"
import { serverNames } from "./names.ts"
import type { McpPorts, McpRoom, McpServerState } from "./ports.ts"
import { resourceTools } from "./resource-tools.ts"
import { heldWords, type LiveServer, openServer } from "./server.ts"
import { openTools } from "./tools.ts"

/** Programs are heavy to start; addresses are not. */
const mostPrograms = 3
const mostAddresses = 20
const charactersPerToken = 4
const longestGuidance = 2_048
const mostQuestions = 3

export function openMcp(ports: McpPorts): McpRoom {
  const { clock, known, limits } = ports
  const listeners = new Set<() => void>()
  const programs = openGate(mostPrograms)
  const addresses = openGate(mostAddresses)
  const names = serverNames(ports.servers.map(({ name }) => name))
  const live = new Map<string, LiveServer>()
  const held = new Map<string, McpServer>()
  const pending = new Set<Promise<void>>()
  let deadline: number | undefined

  function add(server: McpServer): LiveServer {
    let asking = 0
    const opened = openServer(server, {
      connect: ports.connect,
      roots: ports.roots,
      clock,
      startMs: limits.startMs,
      async elicit(ask, signal) {
        // The person answers one after the other; a server that asks on and on gets no answer for the rest.
        if (asking >= mostQuestions) return { action: "cancel" }
        asking++
        const about = { server: server.name, callId: opened.onlyCall() }
        return elicit(about, ask, ports, signal).finally(() => asking--)
      },
      turn: (kind, signal) => (kind === "stdio" ? programs : addresses).enter(signal),
      onChange: changed,
      warn: ports.warn,
    })
    live.set(server.name, opened)
    return opened
  }

  function start(name: string): Promise<void> {
    const started = live.get(name)?.start() ?? Promise.resolve()
    pending.add(started)
    void started.finally(() => pending.delete(started))
    return started
  }

  const reading = openReading(live)
  const states = (): ReturnType<McpRoom["servers"]> => [...live.values()].map((server) => server.state())

  const tools = openTools({
    servers: () => live,
    names,
    resources: resourceTools({
      servers: states,
      read: reading.readResource,
      maxResultChars: limits.outputTokens * charactersPerToken,
    }),
    known,
    limits,
    clock,
    warn: ports.warn,
  })

  function changed(): void {
    tools.forget()
    for (const listener of listeners) listener()
  }

  for (const server of ports.servers) {
    add(server)
    if (server.held !== undefined) held.set(server.name, server)
  }

  async function restart(name: string): Promise<Result<void, string>> {
    // Whoever asks for it approves of the server, but not of the whole folder.
    if (held.get(name)?.held === "untrusted") return failed(heldWords("untrusted") ?? "")
    await live.get(name)?.stop("closed")
    held.delete(name)
    await start(name)
    return outcomeOf(live, name)
  }

  async function settle(patienceMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const given = AbortSignal.any([signal, over.signal])
    await Promise.race([Promise.all(pending), clock.sleep(patienceMs, given)])
    over.abort()
  }

  return {
    kit: {
      name: "mcp",
      late: tools.current,
      guidance: () => states().flatMap(guidanceOf),
      async close() {
        await Promise.all([...live.values()].map((server) => server.stop("closed")))
      },
    },
    start() {
      for (const { name, held: why, config } of ports.servers) {
        if (!config.ok) ports.warn(`The MCP server ${name} is left out. ${config.failure}`)
        else if (why === undefined) void start(name)
      }
    },
    tools: tools.current,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    servers: states,
    ...reading,
    reconnect: restart,
    enable: restart,
    async disable(name) {
      const server = live.get(name)
      if (!server) return failed(`There is no MCP server ${name}.`)
      await server.stop("disabled")
      return ok(undefined)
    },
    settle,
    arrived: (signal) => (pending.size > 0 ? settle(limits.startMs, signal) : Promise.resolve()),
    async ready(signal) {
      await approveServers(
        [...held.values()],
        { ...ports, start: (name) => void start(name), drop: (name) => held.delete(name) },
        signal,
      )
      // Who was waited for once has had their time.
      deadline ??= clock.now() + ports.patienceMs
      const left = deadline - clock.now()
      if (pending.size > 0 && left > 0) await settle(left, signal)
    },
  }
}

/** How a server stands after something was done about it. */
function outcomeOf(live: ReadonlyMap<string, LiveServer>, name: string): Result<void, string> {
  const state = live.get(name)?.state()
  if (!state) return failed(`There is no MCP server ${name}.`)
  return state.status === "connected" ? ok(undefined) : failed(state.reason ?? `${name} is ${state.status}.`)
}

/** What can be had of servers besides their tools. */
function openReading(live: ReadonlyMap<string, LiveServer>): Pick<McpRoom, "readResource" | "mentioned" | "getPrompt"> {
  async function readResource(server: string, uri: string, signal: AbortSignal): ReturnType<McpRoom["readResource"]> {
    const found = await connected(server, signal)
    if (!found.ok) return found
    const read = await found.value.readResource(uri, signal)
    return read.ok ? read : failed(read.failure.message)
  }

  async function connected(name: string, signal: AbortSignal) {
    const server = live.get(name)
    if (!server) return failed(`There is no MCP server ${name}.`)
    const found = await server.connection(signal)
    return found.ok ? found : failed(found.failure.message)
  }

  return {
    readResource,
    async mentioned(server, uri, signal) {
      if (!live.has(server)) return undefined
      const read = await readResource(server, uri, signal)
      return read.ok ? ok(textOf(resourceContentOf(read.value))) : read
    },
    async getPrompt(server, request, signal) {
      const found = await connected(server, signal)
      if (!found.ok) return found
      const got = await found.value.getPrompt(request, signal)
      return got.ok ? got : failed(got.failure.message)
    },
  }
}

/** What a server says about its tools is bounded like what it says about each of them. */
function guidanceOf({ name, status, instructions }: McpServerState): readonly Guidance[] {
  const text = instructions?.trim() ?? ""
  if (status !== "connected" || text === "") return []
  const short = text.length <= longestGuidance ? text : `${text.slice(0, longestGuidance - 1).toWellFormed()}…`
  // It comes to stand among words of ours, and must not look like a heading of them.
  return [{ from: name, text: short.replace(/^(?=\s*#)/gm, "> ") }]
}
