/** `codewright sessions show --connections`: which machines a session contacted, why, and how often. */

import type { Entry } from "#agent/words/entry.ts"
import { never } from "#lib/never.ts"
import type { ConnectionFact } from "#lib/network.ts"
import { stripControls } from "#lib/printable.ts"
import type { Io } from "#faces/cli/io.ts"
import { minute } from "./session-line.ts"

interface ShownConnection extends ConnectionFact {
  /** Milliseconds since the epoch. */
  readonly firstAt: number
  readonly count: number
}

/** What programs contact that run outside the sandbox cannot be known. */
const unseen =
  "Commands, hooks and local MCP servers outside the sandbox are not listed: what they contact cannot be seen."

export function showConnections(entries: readonly Entry[], asJson: boolean, io: Io): number {
  const connections = connectionsIn(entries)
  if (asJson) {
    io.write(`${JSON.stringify({ connections, note: unseen }, null, 2)}\n`)
    return 0
  }
  if (connections.length === 0)
    io.say("No connections are recorded: the session contacted nothing, or is older than these records.")
  for (const connection of connections) io.say(stripControls(lineOf(connection)))
  io.say(unseen)
  return 0
}

/** In the order of their first time; counts of several processes add up. */
export function connectionsIn(entries: readonly Entry[]): readonly ShownConnection[] {
  const found = new Map<string, ShownConnection>()
  for (const entry of entries) {
    if (entry.kind !== "connection") continue
    const { kind: _kind, uuid: _uuid, parentUuid: _parent, at, count, ...fact } = entry
    const key = JSON.stringify([fact.why, fact.name, fact.host, fact.port, fact.proxy, fact.refused])
    const before = found.get(key)
    found.set(key, before ? { ...before, count: before.count + count } : { ...fact, firstAt: at, count })
  }
  return [...found.values()]
}

function lineOf(connection: ShownConnection): string {
  const { host, port, ip, proxy, refused, firstAt, count } = connection
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const where = ip === undefined || ip === host ? place : `${place} (${ip})`
  const via = proxy === undefined ? "" : ` through the proxy ${proxy}`
  const often = refused ? "refused (offline)" : count === 1 ? "once" : `${count} times`
  return `${where}${via}  ${reasonWords(connection)}  ${often}, first at ${minute(firstAt)}`
}

function reasonWords({ why, name }: ConnectionFact): string {
  const named = name === undefined ? "" : ` ${name}`
  switch (why) {
    case "model":
      return `model requests${name === undefined ? "" : ` (${name})`}`
    case "key":
      return `check of a key${name === undefined ? "" : ` (${name})`}`
    case "credentials":
      return "credentials of a cloud"
    case "web":
      return "WebFetch"
    case "search":
      return "WebSearch"
    case "mcp":
      return `MCP server${named}`
    case "hook":
      return `hook${named}`
    case "update":
      return "update"
    case "plugin":
      return "plugins"
    case "webhook":
      return "webhook"
    case "push":
      return "push message"
    case "server":
      return "server"
    case "command":
      return "sandboxed commands"
    case "telemetry":
      return "telemetry"
    default:
      return never(why)
  }
}
