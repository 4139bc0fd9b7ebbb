/** Connects to a server by its configuration: starts its program, or opens its address. */

import { resolve } from "node:path"
import { failed, type Result } from "#lib/result.ts"
import { openClient, probeMs, type Speaks } from "./client.ts"
import type { McpConnection, McpFailure, McpHost } from "./connection.ts"
import type { OpenLongText } from "./long-strings.ts"
import type { RevisionFailure } from "./negotiate.ts"
import type { OlderServers } from "./older-servers.ts"
import { openRemoteTransport, type RemotePorts } from "./remote.ts"
import type { ClientServers } from "./in-client.ts"
import type { McpScope, McpServerConfig } from "./server-config.ts"
import { openStdioTransport, type StdioChild } from "./stdio.ts"

export interface ConnectPorts extends Omit<RemotePorts, "signal"> {
  readonly version: string
  readonly cwd: string
  /** Opens a server inside the client; absent where no client drives the session. */
  readonly inside?: ClientServers["open"]
  /** Servers that are not asked for the revisions they speak. */
  readonly older: OlderServers
  /** For programs, without secrets. */
  readonly env: () => Readonly<Record<string, string>>
  /** Keeps what would be too much for the memory; absent where nothing is kept. */
  readonly longText?: OpenLongText
  readonly start: (program: {
    readonly file: string
    readonly argv: readonly string[]
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
  }) => Promise<Result<StdioChild, string>>
}

export interface ServerToConnect {
  readonly name: string
  readonly source: McpScope
  readonly config: McpServerConfig
}

export type ConnectFailure = McpFailure & { readonly stderrTail?: string }

export async function connectMcp(
  server: ServerToConnect,
  host: McpHost,
  ports: ConnectPorts,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFailure>> {
  const { config } = server
  // A client answers for its servers as the SDKs of 2025 do, and the transport with one stream is older than 2026.
  if (config.kind === "sdk") return throughClient(server.name, host, ports, signal)
  if (config.kind === "sse" || ports.older.has(config)) return attempt(server, "older", { host, ports, signal })
  const since = ports.clock.now()
  const first = await attempt(server, "any", { host, ports, signal })
  if (first.ok) {
    // Silence was the answer: it is not waited for again.
    if (config.kind === "stdio" && !isModern(first.value) && ports.clock.now() - since >= probeMs)
      ports.older.keep(config)
    return first
  }
  if (!first.failure.mayBeOlder) return first
  const second = await attempt(server, "older", { host, ports, signal })
  if (!second.ok) return first
  ports.older.keep(config)
  return second
}

const isModern = ({ revision = "" }: McpConnection): boolean => revision >= "2026"

interface ConnectAttempt {
  readonly host: McpHost
  readonly ports: ConnectPorts
  readonly signal: AbortSignal
}

type Attempted = Promise<Result<McpConnection, ConnectFailure & RevisionFailure>>

function attempt(server: ServerToConnect, speaks: Speaks, { host, ports, signal }: ConnectAttempt): Attempted {
  const { config } = server
  if (config.kind === "stdio") return throughProgram(config, host, { ...ports, speaks }, signal)
  if (config.kind === "sdk") return throughClient(server.name, host, ports, signal)
  return throughAddress({ ...server, config }, host, { ...ports, speaks }, signal)
}

async function throughClient(
  name: string,
  host: McpHost,
  { clock, version, inside }: ConnectPorts,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFailure>> {
  if (!inside) return failed({ kind: "other", message: "It runs inside a client, and none drives this session." })
  const reason = (): string => "the client closed it"
  return openClient({ transport: inside(name), host, clock, version, reason, speaks: "older" }, signal)
}

async function throughProgram(
  config: McpServerConfig & { kind: "stdio" },
  host: McpHost,
  { clock, version, cwd: usual, env, start, speaks, longText }: ConnectPorts & { readonly speaks: Speaks },
  signal: AbortSignal,
): Attempted {
  const cwd = config.cwd === undefined ? usual : resolve(usual, config.cwd)
  const whole = { ...env(), ...config.env }
  const file = findProgram(config.command, cwd, whole.PATH)
  if (file === undefined)
    return failed({
      kind: "other",
      message: `There is no program ${config.command}. Install it, or give its whole path.`,
    })
  const started = await start({ file, argv: config.args, cwd, env: whole })
  if (!started.ok) return failed({ kind: "other", message: started.failure })
  const { transport, stderrTail, reason } = openStdioTransport(started.value, { clock, longText })
  const lastWords = (): string => withLine(reason(), stderrTail())
  const opened = await openClient({ transport, host, clock, version, reason: lastWords, speaks }, signal)
  if (opened.ok) return opened
  await transport.close()
  const { failure } = opened
  const account = (): string => {
    const said = started.value.account?.()
    return said === undefined ? "" : ` ${said}`
  }
  const tail = stderrTail().trim()
  return failed({
    ...failure,
    // That the connection closed is less than why it did.
    ...(failure.kind === "closed" && { message: `${sentence(reason())} before it answered.${account()}` }),
    ...(tail !== "" && { stderrTail: tail }),
  })
}

async function throughAddress(
  server: ServerToConnect & { readonly config: McpServerConfig & { kind: "http" | "sse" } },
  host: McpHost,
  ports: ConnectPorts & { readonly speaks: Speaks },
  signal: AbortSignal,
): Attempted {
  const { clock, version, network, speaks } = ports
  const chosenBy = server.source === "project" ? "others" : "user"
  const offline = network.refusal({ why: "mcp", name: server.name, chosenBy }, server.config.url)
  if (offline !== undefined) return failed({ kind: "refused", message: offline })
  const transport = await openRemoteTransport(server, { ...ports, signal })
  if (!transport.ok) return transport
  const reason = (): string => "the server closed the connection"
  return openClient({ ...transport.value, host, clock, version, reason, speaks, hasHeaders: true }, signal)
}

/** Relative entries on the PATH would let the current folder choose the program; only an explicit path may. */
function findProgram(command: string, cwd: string, path = ""): string | undefined {
  if (command.includes("/")) return Bun.which(resolve(cwd, command), { PATH: "" }) ?? undefined
  const absolute = path.split(":").filter((folder) => folder.startsWith("/"))
  return Bun.which(command, { PATH: absolute.join(":") }) ?? undefined
}

/** The last line a program printed often says why it ended. */
function withLine(why: string, printed: string): string {
  const line = printed.trim().split("\n").at(-1)?.trim().slice(0, 200) ?? ""
  return line === "" ? why : `${why}: ${line}`
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
